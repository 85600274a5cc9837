"""The register of levels: tests and intervals of group differences of other libraries, and ours."""
