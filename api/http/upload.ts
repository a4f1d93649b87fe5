import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Request, RequestHandler } from 'express'
import multer, { MulterError } from 'multer'
import { ApiError, fieldError, validationError } from '../../schema/errors.ts'
import type { UploadSettings } from '../ports/settings.ts'

/** A form with a file, which is on disk until the response is sent. */
export interface Form {
  readonly file: { readonly path: string; readonly bytes: number } | null
  readonly fields: Readonly<Record<string, string>>
}

const suffix = '.upload'
const abandonedMs = 3_600_000

/** Creates the folder for uploaded files, and deletes the files that a crash left there. */
export function openUploads(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    // The file may belong to another process.
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (name.endsWith(suffix) && ageMs > abandonedMs) rmSync(path, { force: true })
  }
}

const forms = new WeakMap<Request, Form>()

/** The form of a request that `readUpload` has read. */
export function formOf(request: Request): Form {
  const form = forms.get(request)
  if (!form) throw new Error(`${request.method} ${request.path} has no form`)
  return form
}

/** Reads a form with one file, which is written to disk during the upload, and a few plain fields. */
export function readUpload(fileField: string, { folder, limitBytes }: UploadSettings): RequestHandler[] {
  const written = new WeakMap<Request, string[]>()
  const upload = multer({
    storage: multer.diskStorage({
      destination: folder,
      filename: (request, _file, done) => {
        const name = `${randomUUID()}${suffix}`
        written.get(request)?.push(join(folder, name))
        done(null, name)
      },
    }),
    limits: {
      fileSize: limitBytes,
      files: 1,
      fields: 10,
      parts: 11,
      fieldSize: 1000,
      fieldNameSize: 100,
      headerPairs: 20,
      fieldNestingDepth: 0,
      fieldArrayIndexLimit: 0,
    },
  }).single(fileField)
  return [
    requireForm,
    (request, response, next) => {
      const paths: string[] = []
      written.set(request, paths)
      upload(request, response, (error: unknown) => {
        const { file } = request
        const isOver = response.closed // The client disconnected while the end of the file was written.
        if (isOver) removeAll(paths)
        else response.once('close', () => removeAll(paths))
        if (error !== undefined && error !== null) return next(toFormError(error, fileField, limitBytes))
        if (isOver) return
        forms.set(request, { file: file ? { path: file.path, bytes: file.size } : null, fields: textsOf(request.body) })
        next()
      })
    },
  ]
}

/** Deletes files that may be missing; `openUploads` of the next start deletes those that fail. */
function removeAll(paths: readonly string[]): void {
  for (const path of paths) rm(path, { force: true }).catch(() => undefined)
}

const requireForm: RequestHandler = (request, _response, next) => {
  if (request.is('multipart/form-data') === false || request.headers['content-type'] === undefined)
    throw new ApiError(415, 'UnsupportedMediaType', 'The body must be multipart/form-data')
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new ApiError(415, 'UnsupportedMediaType', 'The body has an unsupported encoding')
  next()
}

/** Returns the error for the response: an error of the disk unchanged, every other one as an error of the form. */
function toFormError(error: unknown, fileField: string, limitBytes: number): unknown {
  if (error instanceof MulterError) {
    if (error.code === 'LIMIT_FILE_SIZE')
      return new ApiError(413, 'PayloadTooLarge', `The file is larger than ${limitBytes} bytes`)
    if (error.code === 'LIMIT_UNEXPECTED_FILE' && error.field !== fileField) {
      const message = `The file must be in the field ${fileField}, not in '${(error.field ?? '').slice(0, 100)}'`
      return validationError([fieldError(fileField, 'Required', message)])
    }
    return validationError([fieldError(error.field ?? 'body', 'InvalidDataItem', error.message)])
  }
  if (error instanceof Error && 'syscall' in error) return error
  return validationError([fieldError('body', 'InvalidDataItem', 'Incomplete form body')])
}

/** Values of the fields; of a repeated field, the last one. */
function textsOf(body: unknown): Readonly<Record<string, string>> {
  if (typeof body !== 'object' || body === null) return {}
  return Object.fromEntries(
    Object.entries(body).map(([name, value]: [string, unknown]) => [
      name,
      String(Array.isArray(value) ? value.at(-1) : value),
    ]),
  )
}
