// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea man and fovea completion: man pages and bash's completion, from the same description as --help.
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "files/output_folder.h"
#include "subcommand.h"

namespace fovea {
namespace {

std::vector<CLI::App*> subcommands_of(CLI::App& app) {
  std::vector<CLI::App*> shown;
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) {
      shown.push_back(sub);
    }
  }
  return shown;
}

/// Text that troff takes for nothing else.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    if (c == '\n') {
      safe += "\\&";
    }
  }
  return safe;
}

void add_options(const CLI::App& app, std::ostream& page) {
  for (const CLI::Option* option : app.get_options()) {
    page << ".TP\n.B " << escaped(option->get_name(true, true)) << "\n"
         << (option->get_type_name().empty() ? "" : ".I " + escaped(option->get_type_name()) + "\n.br\n") << "\\&"
         << escaped(option->get_description()) << "\n";
  }
}

std::string man_page(CLI::App& app, const std::string& name) {
  std::ostringstream page;
  const std::string description = app.get_description();
  page << ".TH " << name << " 1 \"\" \"Fovea " FOVEA_VERSION "\"\n.SH NAME\n"
       << escaped(name) << " \\- " << escaped(description.substr(0, description.find('\n'))) << "\n.SH SYNOPSIS\n.B "
       << escaped(app.get_parent() == nullptr ? "fovea" : "fovea " + app.get_name()) << "\n[options] ...\n";
  const std::vector<CLI::App*> subs = subcommands_of(app);
  if (!subs.empty()) {
    page << ".SH SUBCOMMANDS\n";
    for (CLI::App* sub : subs) {
      page << ".TP\n.B " << escaped(sub->get_name()) << "\n" << escaped(sub->get_description()) << "\n";
    }
  }
  page << ".SH OPTIONS\n";
  add_options(app, page);
  for (CLI::App* sub : app.get_parent() == nullptr ? std::vector<CLI::App*>() : subs) {
    page << ".SS " << escaped(sub->get_name()) << "\n";
    add_options(*sub, page);
  }
  if (const std::string footer = app.get_footer(); !footer.empty()) {
    page << ".SH EXAMPLE\n.nf\n" << escaped(footer.substr(footer.find('\n') + 1)) << "\n.fi\n";
  }
  return page.str();
}

/// The long options of a subcommand, and of its own subcommands.
std::string words_of(CLI::App& app) {
  std::string words;
  for (CLI::App* sub : subcommands_of(app)) {
    words += " " + sub->get_name() + words_of(*sub);
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words += " --" + name;
    }
  }
  return words;
}

void print_completion(CLI::App& root, std::ostream& out) {
  std::string names;
  for (CLI::App* sub : subcommands_of(root)) {
    names += (names.empty() ? "" : " ") + sub->get_name();
  }
  out << "# bash completion of fovea; written by fovea completion.\n"
         "_fovea() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words\n"
         "  case $before in\n"
         "    --machine) words=$(fovea machines list --names 2>/dev/null) ;;\n"
         "    *) case ${COMP_CWORD}:${COMP_WORDS[1]} in\n"
         "      1:*) words=\""
      << names << "\" ;;\n";
  for (CLI::App* sub : subcommands_of(root)) {
    out << "      *:" << sub->get_name() << ") words=\"" << words_of(*sub).substr(1) << "\" ;;\n";
  }
  out << "    esac ;;\n"
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _fovea fovea\n";
}

}  // namespace

Action describe_man(CLI::App& app) {
  const auto folder = std::make_shared<std::filesystem::path>();
  app.add_option("folder", *folder, "Where to: a page for fovea and one for each subcommand")
      ->type_name("FOLDER")
      ->required();
  return [folder, &app] {
    CLI::App& root = *app.get_parent();
    write_file(*folder / "fovea.1", man_page(root, "fovea"));
    for (CLI::App* sub : subcommands_of(root)) {
      const std::string name = "fovea-" + sub->get_name();
      write_file(*folder / (name + ".1"), man_page(*sub, name));
    }
    return 0;
  };
}

Action describe_completion(CLI::App& app) {
  return [&app] {
    print_completion(*app.get_parent(), std::cout);
    return 0;
  };
}

}  // namespace fovea
