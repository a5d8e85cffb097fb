// SPDX-License-Identifier: Apache-2.0
/// \file
/// A folder of things that are made once and kept, safe when several processes ask for the same one.
///
/// An entry is a folder that appears with all its files, by one rename; its name ends in the digest of what it follows
/// from, so it is never changed. While one is made its lock is held, by the maker and by what it has started: a maker
/// that was killed leaves no lock, and what it left in its scratch folder goes when the next one begins.
///
/// Programs load code from entries. So nothing is taken from a cache that is another user's, or that others can write;
/// and an entry whose files are not as they were made (files/made_files.h) is made again.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace fovea {

/// Told a line, without a newline, that a person may want to read now: what is built, what is waited for. May be empty.
using Say = std::function<void(const std::string& line)>;

/// How long somebody else's work is waited for.
constexpr std::chrono::minutes kLongestBuild{30};

/// $FOVEA_CACHE; else build/ of the sources that the program was built in; else $XDG_CACHE_HOME/fovea or
/// ~/.cache/fovea. \throws UserError where there is none of these.
std::filesystem::path cache_folder();

/// Finds an entry; nothing where it is not there, or damaged. \throws UserError where it is not ours, or others can
/// write the cache.
std::optional<std::filesystem::path> find_entry(const std::string& kind, const std::string& name);

/// Finds an entry, or makes it. \param kind, name  It is cache_folder()/<kind>/<name>.
/// \param make  Fills the empty folder that it is given. What it keeps for the next time that it is ended is in
/// .<name>.build. \param say   Told that another process makes it already, and is waited for. \throws UserError where
/// the cache can't be written, is another user's or can be written by one, its disk is full, or the other one takes
/// longer than `limit`; whatever `make` throws. Nothing is kept then.
std::filesystem::path find_or_make(const std::string& kind, const std::string& name,
                                   const std::function<void(const std::filesystem::path& scratch)>& make,
                                   const Say& say, std::chrono::seconds limit = kLongestBuild);

/// Runs `work` while no other process does any under this lock. \param path  The lock's file, made here; the folder it
/// is in exists. \param what  What another one does now, for `say` and errors. \throws UserError as find_or_make().
void run_alone(const std::filesystem::path& path, const std::string& what, const Say& say,
               const std::function<void()>& work, std::chrono::seconds limit = kLongestBuild);

/// What clean_cache() did.
struct Cleaned {
  std::size_t entries = 0;
  std::uintmax_t bytes = 0;
};

/// Removes entries that nobody makes now. \param unused_for  Only those that nobody has asked for in this time; 0: all.
/// Where the cache is an own folder and nothing is left in it, the folder goes too.
/// \throws UserError where it can't be written, or find_or_make() would not use it.
Cleaned clean_cache(std::chrono::hours unused_for);

}  // namespace fovea
