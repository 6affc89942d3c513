"""The version of the package, which the build reads without importing anything."""

__version__ = "0.1.0"
