import { constants } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { isUtf8 } from 'node:buffer'
import { join, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SourceError } from '../connect/source/source.ts'
import {
  connectorSecretNames,
  type ConnectorSecrets,
  fileFieldOf,
  maxSecretBytes,
  type SecretFileNames,
} from '../schema/records/connector-secrets.ts'
import { findErrorCode, StartError } from './start-error.ts'

const variable = 'TAKT_CONNECT_SECRETS'

/** Flags of a file that is opened: not a link, and a pipe does not wait for a writer. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Files with the secrets of connectors: a folder of a setting, in which each company has a folder named by its id. */
export class SecretFolder {
  readonly #path: string | null

  private constructor(path: string | null) {
    this.#path = path
  }

  /** null: no connector may name files. Rejects with a `StartError` if the path is not a folder. */
  static async open(path: string | null): Promise<SecretFolder> {
    if (path === null) return new SecretFolder(null)
    const problem = await stat(path).then(
      stats => (stats.isDirectory() ? null : 'it is not a folder'),
      (error: unknown) => findErrorCode(error) ?? String(error),
    )
    if (problem === null) return new SecretFolder(path)
    throw new StartError(
      `The folder ${path} of ${variable} can't be read (${problem}).\n` +
        `What to do: set ${variable} to a folder that the user of this process can read.`,
    )
  }

  get isSet(): boolean {
    return this.#path !== null
  }

  /**
   * Returns the contents of the files of a company, without a line end at their end. Rejects with a `SourceError` if a
   * file cannot be read, is outside the folder of the company, or is not a text of 1 to 65,536 bytes.
   */
  async read(companyId: string, names: SecretFileNames): Promise<ConnectorSecrets> {
    const secrets: [string, string][] = []
    for (const name of connectorSecretNames) {
      const file = names[fileFieldOf(name)]
      if (file !== undefined) secrets.push([name, await this.#readFile(companyId, file)])
    }
    return Object.fromEntries(secrets)
  }

  async #readFile(companyId: string, name: string): Promise<string> {
    const place = `${variable}/${companyId}/${name}`
    const folder = this.#path
    if (folder === null) throw unavailable(`The file ${place} of a secret requires the setting ${variable}`)
    try {
      return await readWithin(join(await realpath(folder), companyId), name, place)
    } catch (error) {
      if (error instanceof SourceError) throw error
      throw unavailable(`The file ${place} cannot be read (${findErrorCode(error) ?? 'unknown error'})`, error)
    }
  }
}

/** `folder` has no links. `place`: the path for messages, which does not show where the folder of the setting is. */
async function readWithin(folder: string, name: string, place: string): Promise<string> {
  const path = await realpath(join(folder, name))
  if (!path.startsWith(folder + sep)) throw unavailable(`The file ${place} is outside the folder of its company`)
  const file = await open(path, flags)
  try {
    return await readText(file, place)
  } finally {
    await file.close()
  }
}

async function readText(file: FileHandle, place: string): Promise<string> {
  if (!(await file.stat()).isFile()) throw unavailable(`${place} is not a file`)
  const content = await buffer(file.createReadStream({ start: 0, end: maxSecretBytes, autoClose: false }))
  if (content.length > maxSecretBytes) throw unavailable(`The file ${place} has more than ${maxSecretBytes} bytes`)
  if (!isUtf8(content)) throw unavailable(`The file ${place} is not a text in UTF-8`)
  const text = content.toString('utf8').replace(/\r?\n$/, '')
  if (text === '') throw unavailable(`The file ${place} is empty`)
  return text
}

function unavailable(message: string, cause?: unknown): SourceError {
  return new SourceError(message, 'secret_unavailable', { cause })
}
