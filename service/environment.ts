import type { Logger } from 'pino'
import { readConfig, settings, type Config } from './config.ts'
import { createLogger } from './logger.ts'
import { findNearMisses } from './settings/unknown-settings.ts'

/** The settings of a process and its logger, which writes to stderr. */
export interface Environment {
  readonly config: Config
  readonly logger: Logger
}

/**
 * Reads the settings of a process; logs a warning for each variable whose name resembles a setting. Throws like
 * `readConfig`.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const config = readConfig(env)
  const logger = createLogger(config.TAKT_LOG_LEVEL)
  for (const { variable, setting } of findNearMisses(env, Object.keys(settings)))
    logger.warn({ variable, setting }, 'Ignored a variable whose name resembles a setting')
  return { config, logger }
}
