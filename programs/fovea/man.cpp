// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea man: man pages, from the same description as --help.
#include <memory>
#include <sstream>

#include "completion.h"
#include "files/output_folder.h"
#include "subcommand.h"

namespace fovea {
namespace {

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

}  // namespace fovea
