import { spawn, execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../support/free-ports.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Programs that a newcomer's machine has: Node, a shell, curl, and some of the coreutils. */
const programs = ['node', 'npm', 'sh', 'curl', 'env', 'date', 'cat', 'sleep', 'uname', 'dirname', 'basename', 'sed']

interface FirstReport {
  readonly range: { readonly start: string; readonly end: string }
  readonly aggregate: { readonly oee: number | null; readonly goodParts: number }
  readonly items: readonly unknown[]
}

describe('the first report of README.md', function () {
  let folder: string
  let port: number
  let env: NodeJS.ProcessEnv
  let stop: () => Promise<unknown>

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-readme-'))
    port = await freePort()
    const path = join(folder, 'bin')
    mkdirSync(path)
    for (const program of programs) symlinkSync(await found(program), join(path, program))
    // A short past is filled quickly.
    env = {
      PATH: path,
      HOME: folder,
      TAKT_PORT: String(port),
      TAKT_DATA_DIR: join(folder, 'data'),
      TAKT_DEMO_HOURS: '2',
    }
    const service = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    const ended = new Promise(resolve => service.once('exit', resolve))
    stop = async () => {
      process.kill(-(service.pid ?? 0), 'SIGTERM')
      await ended
      await groupEnded(service.pid ?? 0)
    }
    let said = ''
    await new Promise<void>((resolve, reject) => {
      service.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes('Live after')) resolve()
      })
      ended.then(() => reject(new Error(`npm start ended: ${said}`)), reject)
    })
  })
  after(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('The commands of README.md print a report, create a machine and send it a sample', async () => {
    const commands = commandsIn('## A first report')
    expect(commands).to.have.lengthOf(2)
    const script = `set -eu\n${commands.join('\n')}`.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    const { stdout, stderr } = await promisify(execFile)(join(folder, 'bin', 'sh'), ['-c', script], { cwd: root, env })
    expect(stderr).to.equal('')
    const [report, machine, taken] = jsonsIn(stdout)
    const { range, aggregate, items }: FirstReport = JSON.parse(report ?? 'null')
    expect(range.start).to.match(/^\d{4}-\d\d-\d\dT/)
    expect(aggregate).to.have.all.keys('oee', 'goodParts')
    expect(items).to.have.lengthOf(4)
    expect(JSON.parse(machine ?? 'null')).to.have.property('name', 'Lathe 1')
    expect(JSON.parse(taken ?? 'null')).to.include({ accepted: 1, rejectedCount: 0 })
  })
})

/** The shell blocks under a heading. */
function commandsIn(heading: string): readonly string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const from = readme.indexOf(`\n${heading}\n`)
  const section = readme.slice(from, readme.indexOf('\n## ', from + 1))
  return [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, script = '']) => script)
}

/** The JSON values of a text without separators. */
function jsonsIn(text: string): readonly string[] {
  return text.trim().split(/(?<=\})(?=\{)/)
}

async function found(program: string): Promise<string> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const { stdout } = await promisify(execFile)('sh', ['-c', `command -v ${program}`], {
    env: { PATH: folders.join(':') },
  })
  return stdout.trim()
}

/** Resolves when the last process of a group has ended: npm ends before the service that it started. */
async function groupEnded(groupId: number): Promise<void> {
  const isThere = () => {
    try {
      return process.kill(-groupId, 0)
    } catch {
      return false
    }
  }
  while (isThere()) await sleep(50)
}
