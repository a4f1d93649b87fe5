import type { ComponentChildren } from 'preact'
import type { Client } from '../data/client.ts'
import type { Column } from '../ui/table.tsx'
import type { FieldSpec } from './fields.tsx'

/** A kind of records as a list with a form. `Data`: the records and what their forms need. */
export interface RecordKind<Item, Data, Body> {
  readonly title: string
  readonly intro: string
  readonly empty: string
  /** Name of the action: "Add a machine". */
  readonly add: string
  /** Name of the action that deletes a record, if it is not "Delete". */
  readonly remove?: string
  readonly removeText: string
  readonly load: (client: Client) => Promise<Data>
  readonly items: (data: Data) => readonly Item[]
  readonly nameOf: (item: Item) => string
  /** Shown under the name. */
  readonly moreOf?: (item: Item) => string
  readonly columns: (data: Data) => readonly Column<Item>[]
  readonly fields: (data: Data, item: Item | null) => readonly FieldSpec<keyof NoInfer<Body> & string>[]
  /** Loads members of a record that the list does not have. */
  readonly details?: (item: Item, client: Client) => Promise<object> | object
  /** Creates the record (item null), or changes it. */
  readonly onSave: (client: Client, body: Body, item: Item | null) => Promise<unknown>
  readonly onRemove: (client: Client, item: Item) => Promise<unknown>
  /** Buttons before the one that adds. */
  readonly more?: (reload: () => void, data: Data | null) => ComponentChildren
}
