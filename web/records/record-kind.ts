import type { ComponentChildren } from 'preact'
import type { Client } from '../data/client.ts'
import type { Column } from '../ui/table.tsx'
import type { FieldSpec } from './fields.tsx'

/** Names of the actions of a list; without them it has those of all lists. */
interface ActionTexts {
  readonly remove?: string
  readonly editOf?: (name: string) => string
  readonly removeOf?: (action: string, name: string) => string
  readonly removeTitle?: (action: string, name: string) => string
}

interface RecordKindBase<Item, Data> extends ActionTexts {
  readonly title: string
  /** The list is the whole screen: its title is the heading of the page. */
  readonly isPage?: true
  readonly intro: string
  readonly empty: string
  /** Name of the action: "Add a machine". */
  readonly add: string
  readonly removeText: string
  /** Second paragraph of the confirmation of a deletion. */
  readonly removeNote?: (item: Item) => string | null
  readonly load: (client: Client) => Promise<Data>
  readonly items: (data: Data) => readonly Item[]
  readonly nameOf: (item: Item) => string
  readonly moreOf?: (item: Item) => string
  readonly columns: (data: Data) => readonly Column<Item>[]
  /** Title above consecutive items with the same one; null: none. */
  readonly sectionOf?: (item: Item) => string | null
  /** Shows a record as a card with this content instead of as a row. */
  readonly card?: (item: Item) => ComponentChildren
  readonly onRemove: (client: Client, item: Item) => Promise<unknown>
  /** Buttons before the one that adds, and lists of suggestions for fields. */
  readonly more?: (reload: () => void, data: Data | null) => ComponentChildren
  /** Another action of a record: its name and its work. */
  readonly action?: (item: Item) => { readonly text: string; readonly run: (client: Client) => Promise<unknown> }
}

/** A form of a kind of its own. */
export interface RecordFormProps<Item> {
  /** null: a new record. */
  readonly item: Item | null
  readonly onClose: () => void
  readonly onChanged: () => void
}

/** A kind of records as a list with a form. `Data`: the records and what their forms need. */
export type RecordKind<Item, Data, Body> = RecordKindBase<Item, Data> &
  (
    | {
        readonly form?: undefined
        readonly fields: (data: Data, item: Item | null) => readonly FieldSpec<keyof NoInfer<Body> & string>[]
        /** Loads members of a record that the list does not have. */
        readonly details?: (item: Item, client: Client) => Promise<object> | object
        /** Creates the record (item null), or changes it. */
        readonly onSave: (client: Client, body: Body, item: Item | null) => Promise<unknown>
      }
    | { readonly form: (props: RecordFormProps<Item>) => ComponentChildren }
  )
