import { parseArgs, type ParseArgsConfig } from 'node:util'
import type { Logger } from 'pino'
import { ApiError } from '../../schema/errors.ts'
import type { Config } from '../config.ts'
import { restrictNewFiles } from '../data-folder.ts'
import { readEnvironment } from '../environment.ts'
import { LogUnavailable } from '../../log/log.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** Usage and options of a command; every command has the option `--help`. */
export interface CommandSyntax<O extends Options> {
  readonly usage: string
  readonly options: O
  readonly allowPositionals?: boolean
}

/** The arguments of a command and the settings of the service. */
export interface CommandCall<O extends Options> {
  readonly values: ReturnType<typeof parseArgs<{ options: O }>>['values']
  readonly positionals: readonly string[]
  readonly config: Config
  /** Writes to stderr, because stdout contains the result of the command. */
  readonly logger: Logger
}

/** Runs a command. If it fails, writes the error to stderr and exits with status 1. */
export function runCommand<const O extends Options>(
  { usage, options, allowPositionals = false }: CommandSyntax<O>,
  main: (call: CommandCall<O>) => Promise<void>,
): void {
  restrictNewFiles()
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
    ? '. Only one process can open an embedded log: stop the service or the other command.'
    : ''
}
