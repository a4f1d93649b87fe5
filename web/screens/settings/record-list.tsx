import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer-context.ts'
import type { Client } from '../../data/client.ts'
import { useLocale } from '../../texts/locale.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { Draft, FieldSpec } from './fields.tsx'
import { FormDialog } from './record-form.tsx'
import { useSettingsTexts } from './settings-texts.ts'

/** A kind of records as a list with a form: everything that differs from kind to kind. */
interface RecordKind<Item, Data> {
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
  /** Values of the form; of a new record where there is none. */
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

type Open<Item> =
  | { readonly kind: 'form'; readonly item: Item | null; readonly draft: Draft }
  | { readonly kind: 'remove'; readonly item: Item }

/** Lists of this length can be searched. */
const searchable = 8
/** Rows that are drawn at first. */
const pageLength = 200

/** A list of records with a form for each. */
export function RecordList<Item, Data>({ kind }: { readonly kind: RecordKind<Item, Data> }) {
  const { t, format } = useLocale()
  const words = useSettingsTexts()
  const { client } = useViewer()
  const action = useAction()
  const { value: data, error, reload } = useLoad(() => kind.load(client), [client])
  const [open, setOpen] = useState<Open<Item> | null>(null)
  const [search, setSearch] = useState('')
  const [length, setLength] = useState(pageLength)
  const items = data === null ? [] : kind.items(data)
  const wanted = search.trim().toLowerCase()
  const found = items.filter(item => kind.nameOf(item).toLowerCase().includes(wanted))
  const edit = (item: Item | null) =>
    action.run(async () => setOpen({ kind: 'form', item, draft: await kind.draftOf(item, client) }))
  const close = () => setOpen(null)
  const done = () => {
    close()
    reload()
  }
  return (
    <>
      <div class="page-head">
        <h2>{kind.title}</h2>
        <div class="head-buttons">
          {kind.more?.(reload, data)}
          <button type="button" class="button primary" disabled={data === null} onClick={() => edit(null)}>
            <Icon name="plus" size={16} />
            {kind.add}
          </button>
        </div>
      </div>
      <p class="lead">{kind.intro}</p>
      {items.length >= searchable && (
        <div class="list-search">
          <Field label={words.search} type="search" value={search} onValue={setSearch} />
          <p class="hint" role="status">
            {words.count(format.count(found.length), format.count(items.length))}
          </p>
        </div>
      )}
      {action.error !== null && <Failure error={action.error} />}
      {error !== null && <Failure error={error} onRetry={reload} />}
      {data === null ? (
        error === null && <Loading />
      ) : found.length === 0 ? (
        <Empty text={items.length === 0 ? kind.empty : words.nothingFound} />
      ) : (
        <table class="table compact">
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              {kind.columns.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              <th scope="col">{t.keys.actions}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, length).map(item => (
              <tr key={kind.idOf(item)}>
                <th scope="row">
                  {kind.nameOf(item)}
                  {kind.moreOf && <span class="hint under-name">{kind.moreOf(item)}</span>}
                </th>
                {kind.columns.map(({ title, cell }) => (
                  <td key={title} data-label={title}>
                    {cell(item, data)}
                  </td>
                ))}
                <td class="actions">
                  <button
                    type="button"
                    class="button quiet"
                    aria-label={words.editOf(kind.nameOf(item))}
                    onClick={() => edit(item)}
                  >
                    {t.keys.edit}
                  </button>
                  {kind.remove && (kind.remove.allows?.(item) ?? true) && (
                    <button
                      type="button"
                      class="button quiet danger"
                      aria-label={words.removeOf(kind.remove.action, kind.nameOf(item))}
                      onClick={() => setOpen({ kind: 'remove', item })}
                    >
                      {kind.remove.action}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > length && (
        <button type="button" class="button" onClick={() => setLength(length + pageLength)}>
          {words.showMore}
        </button>
      )}
      {open?.kind === 'form' && data !== null && (
        <FormDialog
          title={open.item === null ? kind.add : words.editOf(kind.nameOf(open.item))}
          fields={kind.fields(data, open.item)}
          draft={open.draft}
          submit={open.item === null ? words.create : t.keys.save}
          onClose={close}
          onSubmit={async draft => {
            await kind.save(client, draft, open.item)
            done()
          }}
        />
      )}
      {open?.kind === 'remove' && kind.remove && (
        <RemoveDialog
          title={words.removeTitle(kind.remove.action, kind.nameOf(open.item))}
          text={kind.remove.text}
          submit={kind.remove.action}
          onClose={close}
          onRemove={async () => {
            await kind.remove?.work(client, open.item)
            done()
          }}
        />
      )}
    </>
  )
}

interface RemoveDialogProps {
  readonly title: string
  readonly text: string
  readonly submit: string
  readonly onClose: () => void
  readonly onRemove: () => Promise<void>
}

/** Asks once more before something goes. */
export function RemoveDialog({ title, text, submit, onClose, onRemove }: RemoveDialogProps) {
  const { t } = useLocale()
  const action = useAction()
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {action.error !== null && <Failure error={action.error} />}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          {t.keys.cancel}
        </button>
        <button type="button" class="button danger" disabled={action.isBusy} onClick={() => action.run(onRemove)}>
          {submit}
        </button>
      </div>
    </Dialog>
  )
}
