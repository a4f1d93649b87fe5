/** Checks the subjects of the commits since the rule exists. A checkout without that history, such as an archive, has nothing to check. */
import { spawnSync } from 'node:child_process'

/** The last commit before the rule. */
const before = 'd95f76bfc60ddc75efa9cff6bd38b12b7f0d62c0'

const { status } = spawnSync('git', ['merge-base', '--is-ancestor', before, 'HEAD'], { stdio: 'ignore' })
if (status === 0) {
  const run = spawnSync('npx', ['commitlint', '--from', before, '--to', 'HEAD'], { stdio: 'inherit' })
  process.exitCode = run.status ?? 1
} else console.log('Commit subjects: skipped, the checkout lacks the history')
