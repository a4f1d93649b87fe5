import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from './run-command.ts'

const here = dirname(fileURLToPath(import.meta.url))
const pom = join(here, 'kafka', 'pom.xml')
const cache = join(here, '..', '..', '.cache', 'kafka')
/** Exit code of a Java process that SIGTERM has ended in order. */
const terminated = 143

/** Fetches the broker's jars once per version of the pom; returns their directory. */
export function fetchJars(): string {
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12)
  const lib = join(cache, version)
  runCommand('java', ['-version'])
  if (existsSync(lib)) return lib
  mkdirSync(cache, { recursive: true })
  keep(lib, partial =>
    runCommand('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${partial}`]),
  )
  return lib
}

// The process is short-lived: no optimizing compiler, parallel garbage collection or class verification.
const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:+UnlockDiagnosticVMOptions']
/** Options of Java for a class of the broker. */
export const javaOptions = (lib: string) => [
  '-Xmx512m',
  ...quick,
  '-XX:-BytecodeVerificationRemote',
  '-cp',
  join(lib, '*'),
]

/** Creates the data folder of a broker. Formatting one takes a start of Java, so a copy of it is kept for further brokers. */
export function formatFolder(lib: string, config: string, dataDir: string, args: readonly string[]): void {
  const key = createHash('sha256').update(args.join(' ')).digest('hex').slice(0, 12)
  const kept = `${lib}-data-${key}`
  if (existsSync(kept)) {
    cpSync(kept, dataDir, { recursive: true })
    return
  }
  const format = ['kafka.tools.StorageTool', 'format', '-t', 'VGFrdFRlc3RCcm9rZXIwMQ', '-c', config]
  runCommand('java', [...javaOptions(lib), ...format, ...args])
  keep(kept, partial => cpSync(dataDir, partial, { recursive: true }))
}

/** Creates a folder of the cache unless another process has created it meanwhile. */
function keep(folder: string, create: (partial: string) => void): void {
  const partial = `${folder}-${process.pid}`
  create(partial)
  try {
    renameSync(partial, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(partial, { recursive: true })
  }
}

/**
 * Options of Java for an archive of the broker's loaded classes, which halves the CPU time of a start. The first broker that ends in
 * order writes it. Another version of Java ignores it.
 */
export function classArchive(lib: string) {
  const archive = `${lib}-classes.jsa`
  const written = `${archive}-${process.pid}`
  const isWritten = !existsSync(archive)
  return {
    isWritten,
    options: [isWritten ? `-XX:ArchiveClassesAtExit=${written}` : `-XX:SharedArchiveFile=${archive}`],
    /** Keeps the archive of a broker with this exit code: one that did not end in order may have left a part of it. */
    keep(exitCode: number | null): void {
      if (!isWritten || !existsSync(written)) return
      if (exitCode === terminated) renameSync(written, archive)
      else rmSync(written)
    },
  }
}
