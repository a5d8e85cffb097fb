# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts behind the Makefile: the variables of scripts/variables.txt, checked, with their defaults.

# Prints the rows of table $1.def as lines of fields with `|` between them.
def_rows() {
  sed -n 's/^FOVEA_[A-Z_]*(\(.*\))$/\1/p' "$1.def" | sed -e 's/"//g' -e 's/ *, */|/g'
}

# Prints field $2 (1 name, 2 libraries, 3 waves, 4 title, 5 choice) of backend $1, or of the first one if $1 is empty.
backend_field() {
  def_rows sim/common/backends | awk -F'|' -v name="$1" -v field="$2" '($1 == name || name == "") && !n++ { print $field }'
}

# Says of backend $1 which formats of waves it writes; nothing where it writes both.
wave_limit() {
  local formats
  formats=$(backend_field "$1" 3)
  [[ $formats == *" "* ]] || echo "$(backend_field "$1" 4) writes $([ -z "$formats" ] && echo no waves || echo "${formats^^} only")"
}

# Prints the table as `name|default|may be|meaning` lines, with `\|` inside a choice as a comma.
variable_rows() {
  local rows name limit names='' carriers='' formats='' presets
  for name in $(def_rows sim/common/backends | cut -d'|' -f1); do
    names+=,$name
    carriers+=", or $(backend_field "$name" 5)"
    limit=$(wave_limit "$name")
    formats+=${limit:+, $limit}
  done
  presets=$(def_rows sim/spec/dram_presets | cut -d'|' -f1 | paste -sd,)
  rows=$(sed -e '/^#/d' -e 's/\\|/,/g' -e 's/ *| */|/g' scripts/variables.txt)
  rows=${rows/'{backends}'/"${names#,}"}
  rows=${rows/'{carriers}'/"${carriers#, or }"}
  rows=${rows/'{formats}'/"$formats"}
  echo "${rows/'{presets}'/"$presets"}"
}

# fail NAME WHY: ends the script with one line.
fail() {
  echo "$1: $2" >&2
  exit 2
}

# Prints the file of machine $1, which is a name in sim/spec/machines or a file.
machine_file() {
  if [ -f "sim/spec/machines/$1.json" ]; then
    echo "sim/spec/machines/$1.json"
  else
    echo "$1"
  fi
}

# Ends with one line unless the value $2 of variable $1 is a file, or name=file words between commas whose files are there.
check_tensors() {
  local word words
  [ ! -f "$2" ] || return 0
  IFS=, read -ra words <<<"$2"
  for word in "${words[@]}"; do
    [ -f "${word#*=}" ] || [ -f "${word##*=}" ] || fail "$1=$word" "no such file"
  done
}

# Ends with one line unless the value $2 of variable $1 is up to three folders between commas that make report wrote.
check_reports() {
  local folder folders
  IFS=, read -ra folders <<<"$2"
  [ ${#folders[@]} -le 3 ] || fail "$1=$2" "${#folders[@]} reports; give up to three, with commas between"
  for folder in "${folders[@]}"; do
    [ -f "$folder/run.json" ] || fail "$1=$folder" "no report; give a folder that make report wrote"
  done
}

# Ends with one line unless the value $2 of variable $1 is what the table's $3 says.
check_variable() {
  local name=$1 value=$2 may_be=$3
  case $may_be in
    text | folder | output) ;;
    number) [[ $value =~ ^[0-9]{1,9}$ ]] || fail "$name=$value" "not a whole number from 0 to 999999999" ;;
    file) [[ -f $value && -r $value ]] || fail "$name=$value" "no such file" ;;
    tensors) check_tensors "$name" "$value" ;;
    pictures) [ -d "$value" ] || check_tensors "$name" "$value" ;;
    reports) check_reports "$name" "$value" ;;
    machine)
      [[ "$(machine_file "$value")" == *.json && -f "$(machine_file "$value")" ]] ||
        fail "$name=$value" "no such machine; choose $(basename -s .json -a sim/spec/machines/*.json | paste -sd,), or give a JSON file"
      ;;
    *) [[ ",$may_be," == *",$value,"* ]] || fail "$name=$value" "unknown value; choose ${may_be//,/ or }" ;;
  esac
}

# Gives every variable its default, and ends with one line at the first that has a value it may not have.
load_variables() {
  local name default may_be _
  while IFS='|' read -r name default may_be _; do
    [ -n "${!name:-}" ] || printf -v "$name" '%s' "$default"
    [ -z "${!name}" ] || check_variable "$name" "${!name}" "$may_be"
    export "${name?}"
  done <<<"$(variable_rows)"
  check_combinations
}

# Ends with one line if two variables contradict each other.
check_combinations() {
  [ -z "$IMAGE" ] || [ -z "$INPUT_RAW" ] || fail "IMAGE and INPUT_RAW" "give one of them"
  [ -z "$OUTPUT_RAW" ] || [ -n "$INPUT_RAW" ] || fail "OUTPUT_RAW" "give INPUT_RAW too"
  [ -z "$TUNE" ] || [ -n "$RECORDS" ] || fail "TUNE" "give RECORDS too, the file to keep what is measured in"
  [ "$USE_VCD" = 1 ] || [ -z "$VCD_LAYER$VCD_FROM$VCD_CYCLES$VCD_TRIGGER" ] ||
    fail "VCD_LAYER, VCD_FROM, VCD_CYCLES and VCD_TRIGGER" "give USE_VCD=1 too"
  local formats
  formats=$(backend_field "$BACKEND" 3)
  [ "$USE_VCD" = 0 ] || [ -n "$formats" ] || fail "USE_VCD=1" "$(wave_limit "$BACKEND"); leave USE_VCD out"
  [ -z "$VCD_FORMAT" ] || [[ " $formats " == *" $VCD_FORMAT "* ]] ||
    fail "VCD_FORMAT=$VCD_FORMAT" "$(wave_limit "$BACKEND"); leave VCD_FORMAT out"
}

# Prints the format of waves: BACKEND's own choice, the smaller one, where nobody says.
wave_format() {
  local formats
  formats=$(backend_field "$BACKEND" 3)
  echo "${VCD_FORMAT:-${formats##* }}"
}

# Sets the array `building` to fovea's options of compiling MODEL for target $1, dla or cpu.
set_building() {
  building=(--rounding "$ROUNDING")
  if [ "$1" = dla ]; then
    building=(--rounding "$ROUNDING" --machine "$(machine_file "$MACHINE")"
      --mapping "$MAPPING" --optimize "$OPTIMIZE" --slack "$SLACK" ${RECORDS:+--records "$RECORDS"} ${TUNE:+--tune "$TUNE"})
  fi
}

# Prints the folder of MODEL compiled for target $1, dla or cpu; fovea compiles it if it is not kept. More words are options of fovea build.
net_folder() {
  local building carrier=cpu
  [ "$1" = cpu ] || carrier=$(backend_field "$BACKEND" 1)
  set_building "$1"
  "$BUILD/bin/fovea" build "$MODEL" --backend "$carrier" "${building[@]}" "${@:2}"
}

# Prints the CMake target of BACKEND's library for MACHINE: with waves in it only where they are asked for.
device_target() {
  local target machine_name
  target=fovea_$(backend_field "$BACKEND" 1)
  if [ "$(backend_field "$BACKEND" 2)" = machine_library ]; then
    machine_name=$(sed -n 's/.*"name" *: *"\([^"]*\)".*/\1/p' "$(machine_file "$MACHINE")" | head -n 1)
    target+=_$machine_name$([ "$USE_VCD" = 0 ] || echo "_$(wave_format)")
  fi
  echo "$target"
}
