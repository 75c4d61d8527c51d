"""The cc rules as this project uses them: one set of warnings for all of its code."""

_COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wshadow",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wimplicit-fallthrough",
    # GCC 12 means designated initializers too, where the rest has defaults.
    "-Wno-missing-field-initializers",
]

def nfs_library(**kwargs):
    native.cc_library(copts = _COPTS, **kwargs)

def nfs_binary(**kwargs):
    native.cc_binary(copts = _COPTS, **kwargs)

def nfs_test(name, srcs, deps, size = "medium", **kwargs):
    """A GoogleTest program; `gtest_main` is added.

    Its size is its time limit, which is there for hangs: a busy machine with a sanitizer
    takes fifty times as long as a quiet one without.
    """
    native.cc_test(
        name = name,
        size = size,
        srcs = srcs,
        copts = _COPTS,
        deps = deps + ["//bazel/deps:gtest_main"],
        **kwargs
    )
