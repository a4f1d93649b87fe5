/** Installation to which a store belongs, as recorded in the store. */
export type StoreInstallation =
  | { readonly state: 'known'; readonly id: string }
  /** The store contains no data. */
  | { readonly state: 'empty' }
  /** A first start was interrupted. */
  | { readonly state: 'unfinished' }
  /** The store contains data, but no installation id: another program or an older version wrote it. */
  | { readonly state: 'unmarked' }

/** Installation to which a log belongs, as recorded in the log. */
export type LogInstallation =
  | {
      readonly state: 'known'
      readonly id: string
      readonly format: number
      /** See `InstallationRecord`. */
      readonly commandOffsetBase: number
      /** The last entry that the store contains completely; null: unknown, or none. */
      readonly projected: { readonly commandOffset: number; readonly isInLog: boolean } | null
    }
  | { readonly state: 'empty' }
  | { readonly state: 'unmarked' }
