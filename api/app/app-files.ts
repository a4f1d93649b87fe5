/** One built file of the web application. */
export interface AppFile {
  /** Media type. */
  readonly type: string
  readonly bytes: Buffer
  /** Compressed bytes; null: not worth it. */
  readonly brotli: Buffer | null
  readonly gzip: Buffer | null
}

/** The web application as it was built. Names of files contain a hash of their content. */
export interface App {
  readonly files: ReadonlyMap<string, AppFile>
  /** HTML of every page of the application, with `pageBase` where the way to the service's root belongs. */
  readonly page: string
  /** Also shown by pages that are not of the application. */
  readonly icon: AppFile
}

/** Stands in the page for the relative way to the root: the service may be behind a proxy, under a path of its own. */
export const pageBase = '{{base}}'

/** Folder in addresses of the built files. */
export const assetsPath = '/assets/'
