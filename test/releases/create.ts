/** Lists the migrations of the version in package.json as released. Rejects a version with a date in the changelog. */
import { readFileSync } from 'node:fs'
import packageJson from '../../package.json' with { type: 'json' }
import { writeReleased } from './released-migrations.ts'

const { version } = packageJson
const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
if (!changelog.includes(`## ${version} - unreleased`))
  throw new Error(`CHANGELOG.md has no section "## ${version} - unreleased": a released version does not change`)
await writeReleased()
process.stdout.write(`Listed the migrations of ${version}.\n`)
