/** Loaded before the tests: releases what the tests of a file share, such as a broker, after the last of them. */
const releases: (() => Promise<unknown>)[] = []

/** Calls `release` after the tests and hooks of the current file; in a run without workers, after those of all files. */
export function atFileEnd(release: () => Promise<unknown>): void {
  releases.push(release)
}

export const mochaHooks = {
  async afterAll() {
    for (const release of releases.splice(0)) await release()
  },
}
