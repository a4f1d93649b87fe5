import { parseArgs, type ParseArgsConfig } from 'node:util'
import type { Logger } from 'pino'
import { ApiError } from '../../schema/errors.ts'
import type { Config } from '../config.ts'
import { keepFilesPrivate } from '../data-folder.ts'
import { readEnvironment } from '../environment.ts'
import { LogUnavailable } from '../../log/log.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** How a command is called. `--help` is an option of every one. */
export interface CommandSyntax<O extends Options> {
  readonly usage: string
  readonly options: O
  readonly allowPositionals?: boolean
}

/** A command as it was called, and the settings of the service. */
export interface CommandCall<O extends Options> {
  readonly values: ReturnType<typeof parseArgs<{ options: O }>>['values']
  readonly positionals: readonly string[]
  readonly config: Config
  /** Writes to stderr: stdout is for what the command answers. */
  readonly logger: Logger
}

/** Runs a command to its end. What goes wrong is told on stderr, and the process exits with 1. */
export function runCommand<const O extends Options>(
  { usage, options, allowPositionals = false }: CommandSyntax<O>,
  main: (call: CommandCall<O>) => Promise<void>,
): void {
  keepFilesPrivate()
  const run = async (): Promise<void> => {
    const { values, positionals } = parseArgs({ options: { ...options, ...help }, allowPositionals })
    if ('help' in values && values.help === true) return console.log(usage)
    const { config, logger } = readEnvironment(process.env)
    await main({ values, positionals, config, logger })
  }
  run().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error)
    console.error(error instanceof ApiError ? text : `${text}${hintOf(error)}`)
    process.exitCode = 1
  })
}

const help = { help: { type: 'boolean', default: false } } as const

function hintOf(error: unknown): string {
  return error instanceof LogUnavailable
    ? '. An embedded log belongs to one process: is another one at work, or the service still running?'
    : ''
}
