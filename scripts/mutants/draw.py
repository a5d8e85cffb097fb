# SPDX-License-Identifier: Apache-2.0
"""Draws sites by a seed, so many of each module as its share of all sites, its kinds in turn.

A site's rank is a hash of the seed and of what it reads like, not of where it stands: a change of the RTL moves few.
"""
import hashlib

from sites import KINDS


def shares(sizes, count):
    """`count` places by size, at least one each: name -> places."""
    total = sum(sizes.values())
    exact = {name: max(1.0, count * size / total) for name, size in sizes.items() if size}
    given = {name: min(sizes[name], int(share)) for name, share in exact.items()}
    order = sorted(exact, key=lambda name: (int(exact[name]) - exact[name], name))
    while sum(given.values()) != min(count, total):
        step = 1 if sum(given.values()) < count else -1
        for name in order if step == 1 else sorted(exact, key=lambda name: (-given[name], name)):
            if sum(given.values()) != min(count, total) and 1 <= given[name] + step <= sizes[name]:
                given[name] += step
    return given


def _rank(site, seed):
    return hashlib.sha256(repr((seed, site.key)).encode()).hexdigest()


def draw(sites, seed, count):
    """`sites`: module -> its sites. Those drawn, in the order of the modules and of their lines."""
    drawn = []
    for name, places in shares({name: len(of) for name, of in sites.items()}, count).items():
        ranked = {
            kind: sorted((s for s in sites[name] if s.kind == kind), key=lambda s: _rank(s, seed)) for kind in KINDS
        }
        chosen = []
        while len(chosen) < places:
            for kind in KINDS[len(drawn) % len(KINDS) :] + KINDS[: len(drawn) % len(KINDS)]:
                if ranked[kind] and len(chosen) < places:
                    chosen.append(ranked[kind].pop(0))
        drawn += sorted(chosen, key=lambda site: (site.start, -site.end))
    return drawn
