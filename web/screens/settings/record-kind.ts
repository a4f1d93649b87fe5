import type { ComponentChildren } from 'preact'
import type { Client } from '../../data/client.ts'
import type { Draft, FieldSpec } from './fields.tsx'

/** A kind of records as a list with a form: everything that differs from kind to kind. */
export interface RecordKind<Item, Data> {
  readonly title: string
  readonly intro: string
  readonly empty: string
  /** Name of the action: "Add a machine". */
  readonly add: string
  /** Loads the records, and what their forms need. */
  readonly load: (client: Client) => Promise<Data>
  readonly items: (data: Data) => readonly Item[]
  readonly idOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  /** Shown under the name. */
  readonly moreOf?: (item: Item) => string
  readonly columns: readonly { readonly title: string; readonly cell: (item: Item, data: Data) => ComponentChildren }[]
  readonly fields: (data: Data, item: Item | null) => readonly FieldSpec[]
  /** Values of the form; defaults for a new record. */
  readonly draftOf: (item: Item | null, client: Client) => Promise<Draft> | Draft
  /** Makes the record, or changes it. */
  readonly save: (client: Client, draft: Draft, item: Item | null) => Promise<unknown>
  readonly remove?: {
    readonly text: string
    readonly action: string
    readonly allows?: (item: Item) => boolean
    readonly work: (client: Client, item: Item) => Promise<unknown>
  }
  /** Buttons beside the one that adds. */
  readonly more?: (reload: () => void, data: Data | null) => ComponentChildren
}
