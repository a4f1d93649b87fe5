/** One built file of the web application. */
export interface AppFile {
  /** Media type. */
  readonly type: string
  readonly bytes: Buffer
  /** Compressed bytes; null: compression is not worthwhile. */
  readonly brotli: Buffer | null
  readonly gzip: Buffer | null
}

/** The built web application. Names of files contain a hash of their content. */
export interface App {
  readonly files: ReadonlyMap<string, AppFile>
  /** HTML of every page of the application, with `pageBase` in place of the relative path to the service's root. */
  readonly page: string
  /** Also used by pages outside of the application. */
  readonly icon: AppFile
}

/** Placeholder in the page for the relative path to the root, because a proxy may serve Takt under a path. */
export const pageBase = '{{base}}'

/** Path of the built files. */
export const assetsPath = '/assets/'
