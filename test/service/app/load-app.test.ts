import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { type BuiltFiles, pageName } from '../../../service/app/build-app.ts'
import { storeBuiltFiles, readBuiltFiles } from '../../../service/app/load-app.ts'

const files: BuiltFiles = new Map([
  [pageName, { type: 'text/html; charset=utf-8', bytes: Buffer.from('<p>'), brotli: null, gzip: null }],
  [
    'app-1.js',
    {
      type: 'text/javascript; charset=utf-8',
      bytes: Buffer.from('1'),
      brotli: Buffer.from('b'),
      gzip: Buffer.from('g'),
    },
  ],
])

describe('folder of the built web application', () => {
  let root: string
  let folder: string
  let faults: unknown[]
  const onWriteError = (error: unknown) => faults.push(error)
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'takt-app-'))
    folder = join(root, 'dist', 'app')
    faults = []
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it('Built files are readable by other users although the files of the service are private', () => {
    const before = process.umask(0o077)
    try {
      storeBuiltFiles(files, { folder, hash: 'one', onWriteError })
    } finally {
      process.umask(before)
    }
    const modeOf = (...path: readonly string[]) => (statSync(join(root, ...path)).mode & 0o777).toString(8)
    assert.deepEqual([modeOf('dist'), modeOf('dist/app'), modeOf('dist/app/one')], ['755', '755', '755'])
    assert.deepEqual([modeOf('dist/app/one/app-1.js'), modeOf('dist/app/one/app-1.js.br')], ['644', '644'])
    assert.deepEqual(readBuiltFiles(join(folder, 'one')), files)
    assert.deepEqual(faults, [])
  })

  it('Outdated and abandoned builds are deleted, and a build in progress is kept', () => {
    storeBuiltFiles(files, { folder, hash: 'one', onWriteError })
    for (const name of ['.killed', '.under-way']) mkdirSync(join(folder, name))
    const longAgo = new Date(Date.now() - 3_600_000)
    utimesSync(join(folder, '.killed'), longAgo, longAgo)
    storeBuiltFiles(files, { folder, hash: 'two', onWriteError })
    const left = ['one', 'two', '.killed', '.under-way'].filter(name => existsSync(join(folder, name)))
    assert.deepEqual(left, ['two', '.under-way'])
  })

  it('A folder that cannot be written or read is reported, and the build is used from memory', () => {
    mkdirSync(join(root, 'dist'))
    writeFileSync(folder, 'a file where the folder should be')
    storeBuiltFiles(files, { folder, hash: 'one', onWriteError })
    assert.lengthOf(faults, 1)
    assert.isNull(readBuiltFiles(join(folder, 'one')))
  })

  it('A build that another process has stored in the meantime is kept', () => {
    for (let times = 0; times < 2; times++) storeBuiltFiles(files, { folder, hash: 'one', onWriteError })
    assert.deepEqual(faults, [])
    assert.deepEqual(readBuiltFiles(join(folder, 'one')), files)
  })
})
