/** Installation of a store, according to the store. */
export type StoreInstallation =
  | { readonly state: 'known'; readonly id: string }
  /** It holds nothing. */
  | { readonly state: 'empty' }
  /** A first start began and did not end. */
  | { readonly state: 'unfinished' }
  /** It holds data, but no id: another program wrote it, or an older version. */
  | { readonly state: 'unmarked' }

/** Installation of a log, according to the log. */
export type LogInstallation =
  | { readonly state: 'known'; readonly id: string; readonly format: number }
  | { readonly state: 'empty' }
  | { readonly state: 'unmarked' }
