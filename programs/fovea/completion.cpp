// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea completion: a script for bash, zsh or fish.
#include "completion.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "commands/options.h"
#include "subcommand.h"

namespace fovea {
namespace {

constexpr const char* kMachines = "$(fovea machines list --names 2>/dev/null)";

/// "rtl systemc" of "rtl|systemc"; "" where it is no list of choices, which are in small letters.
std::string choices_of(const CLI::Option& option) {
  std::string text = option.get_type_name();
  const bool are_choices = text.find('|') != std::string::npos && std::all_of(text.begin(), text.end(), [](char c) {
                             return c == '|' || c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                           });
  std::replace(text.begin(), text.end(), '|', ' ');
  return are_choices ? text : "";
}

bool is_machine(const CLI::Option& option) { return option.get_type_name() == "NAME|FILE"; }

/// The options of a subcommand, and of its own subcommands.
std::vector<const CLI::Option*> options_of(CLI::App& app) {
  const CLI::App& read = app;
  std::vector<const CLI::Option*> options = read.get_options();
  for (CLI::App* sub : subcommands_of(app)) {
    const std::vector<const CLI::Option*> more = options_of(*sub);
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

std::string names_of(CLI::App& app) {
  std::string names;
  for (const CLI::App* sub : subcommands_of(app)) {
    names += (names.empty() ? "" : " ") + sub->get_name();
  }
  return names;
}

/// The names of its own subcommands, and long options.
std::string words_of(CLI::App& app) {
  std::string words = names_of(app);
  for (const CLI::Option* option : options_of(app)) {
    for (const std::string& name : option->get_lnames()) {
      words += (words.empty() ? "--" : " --") + name;
    }
  }
  return words;
}

/// What follows an option: words for a shell, by patterns of "subcommand:--option".
std::map<std::string, std::string> values_of(CLI::App& app) {
  std::map<std::string, std::string> values;
  for (CLI::App* sub : subcommands_of(app)) {
    for (const CLI::Option* option : options_of(*sub)) {
      const std::string words = is_machine(*option) ? kMachines : choices_of(*option);
      for (const std::string& name : words.empty() ? std::vector<std::string>() : option->get_lnames()) {
        values.emplace(sub->get_name() + ":--" + name, words);
      }
    }
  }
  values.emplace("completion:completion", "bash fish zsh");
  values.emplace("help:help", names_of(app));
  values.emplace("machine:machine", kMachines);
  values.emplace("machines:show", kMachines);
  values.emplace("machines:check", kMachines);
  return values;
}

/// Text in single quotes. \param quote  What stands for one in it.
std::string quoted(const std::string& text, const std::string& quote) {
  std::string safe = "'";
  for (const char c : text) {
    safe += c == '\'' ? quote : std::string(1, c);
  }
  return safe + "'";
}

}  // namespace

std::vector<CLI::App*> subcommands_of(CLI::App& app) {
  std::vector<CLI::App*> shown;
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) {
      shown.push_back(sub);
    }
  }
  return shown;
}

void print_bash_completion(CLI::App& app, std::ostream& out) {
  out << "# bash completion of fovea; written by fovea completion bash.\n"
         "_fovea() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  case ${COMP_CWORD}:${COMP_WORDS[1]}:${COMP_WORDS[COMP_CWORD - 1]} in\n"
         "    1:*) words=\""
      << names_of(app) << "\" ;;\n";
  for (const auto& [place, words] : values_of(app)) {
    out << "    *:" << place << ") words=\"" << words << "\" ;;\n";
  }
  for (CLI::App* sub : subcommands_of(app)) {
    out << "    *:" << sub->get_name() << ":*) words=\"" << words_of(*sub) << "\" ;;\n";
  }
  out << "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _fovea fovea\n";
}

void print_zsh_completion(CLI::App& app, std::ostream& out) {
  out << "#compdef fovea\n"
         "# zsh completion of fovea; written by fovea completion zsh.\n"
         "_fovea() {\n"
         "  case $((CURRENT - 1)):$words[2]:$words[CURRENT-1] in\n"
         "    1:*) local -a names; names=(\n";
  for (const CLI::App* sub : subcommands_of(app)) {
    out << "      " << quoted(sub->get_name() + ":" + sub->get_description(), "'\\''") << "\n";
  }
  out << "    ); _describe subcommand names; return ;;\n";
  for (const auto& [place, words] : values_of(app)) {
    out << "    *:" << place << ") compadd -- " << words << (words == kMachines ? "; _files" : "") << "; return ;;\n";
  }
  out << "  esac\n"
         "  case $words[2]:$words[CURRENT] in\n";
  for (CLI::App* sub : subcommands_of(app)) {
    const bool has_words = !subcommands_of(*sub).empty();
    out << "    " << sub->get_name() << (has_words ? ":*" : ":-*") << ") compadd -- " << words_of(*sub) << " ;;\n";
  }
  out << "    *) _files ;;\n"
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _fovea ]]; then _fovea \"$@\"; else compdef _fovea fovea; fi\n";
}

void print_fish_completion(CLI::App& app, std::ostream& out) {
  out << "# fish completion of fovea; written by fovea completion fish.\n";
  for (CLI::App* sub : subcommands_of(app)) {
    const std::string name = sub->get_name();
    out << "complete -c fovea -f -n __fish_use_subcommand -a " << name << " -d "
        << quoted(sub->get_description(), "\\'") << "\n";
    const std::string when = "complete -c fovea -n '__fish_seen_subcommand_from " + name + "' ";
    if (const std::string below = names_of(*sub); !below.empty()) {
      out << when << "-f -a '" << below << "'\n";
    }
    for (const auto& [place, words] : values_of(app)) {
      if (place.starts_with(name + ":") && place.find(":--") == std::string::npos) {
        out << when << "-a '" << (words == kMachines ? "(fovea machines list --names)" : words) << "'\n";
      }
    }
    for (const CLI::Option* option : options_of(*sub)) {
      const std::string choices = choices_of(*option);
      const std::string values = is_machine(*option)            ? "-r -a '(fovea machines list --names)'"
                                 : !choices.empty()             ? "-x -a '" + choices + "'"
                                 : option->get_type_size() == 0 ? "-f"
                                                                : "-r";
      for (const std::string& word : option->get_lnames()) {
        out << when << "-l " << word << " " << values << " -d " << quoted(option->get_description(), "\\'") << "\n";
      }
    }
  }
}

Action describe_completion(CLI::App& app) {
  using Print = void (*)(CLI::App&, std::ostream&);
  const auto print = std::make_shared<Print>(print_bash_completion);
  add_choice<Print>(app, "shell", *print,
                    {{"bash", print_bash_completion}, {"fish", print_fish_completion}, {"zsh", print_zsh_completion}},
                    "The shell (default: bash)");
  return [print, &app] {
    (*print)(*app.get_parent(), std::cout);
    return kDone;
  };
}

}  // namespace fovea
