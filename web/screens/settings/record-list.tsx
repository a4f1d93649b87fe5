import { useState } from 'preact/hooks'
import { type Loaded, useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { useLocale } from '../../texts/locale.ts'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { RemoveDialog } from '../../ui/remove-dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { Draft } from './fields.tsx'
import { FormDialog } from './record-form.tsx'
import type { RecordKind } from './record-kind.ts'
import { RecordTable } from './record-table.tsx'
import { useSettingsTexts } from './settings-texts.ts'

type Open<Item> =
  | { readonly kind: 'form'; readonly item: Item | null; readonly draft: Draft }
  | { readonly kind: 'remove'; readonly item: Item }

/** A list of records with a form for each. */
export function RecordList<Item, Data>({ kind }: { readonly kind: RecordKind<Item, Data> }) {
  const { client } = useViewer()
  const action = useAction()
  const loaded = useLoad(() => kind.load(client), [client])
  const { value: data, reload } = loaded
  const [open, setOpen] = useState<Open<Item> | null>(null)
  const edit = (item: Item | null) =>
    action.run(async () => setOpen({ kind: 'form', item, draft: await kind.draftOf(item, client) }))
  const close = () => setOpen(null)
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
      <FoundRecords
        kind={kind}
        loaded={loaded}
        failure={action.error}
        onEdit={edit}
        onRemove={item => setOpen({ kind: 'remove', item })}
      />
      {open !== null && data !== null && (
        <RecordDialog
          kind={kind}
          data={data}
          open={open}
          onClose={close}
          onDone={() => {
            close()
            reload()
          }}
        />
      )}
    </>
  )
}

interface FoundRecordsProps<Item, Data> {
  readonly kind: RecordKind<Item, Data>
  readonly loaded: Loaded<Data>
  /** Failure of the last request; null: none. */
  readonly failure: unknown
  readonly onEdit: (item: Item) => void
  readonly onRemove: (item: Item) => void
}

/** Lists of this length can be searched. */
const searchable = 8
/** Rows that are drawn at first, and those that are added to them. */
const pageLength = 200

/** The records that match the search, up to a limit that the user can raise. */
function FoundRecords<Item, Data>({ kind, loaded, failure, onEdit, onRemove }: FoundRecordsProps<Item, Data>) {
  const { format } = useLocale()
  const words = useSettingsTexts()
  const { value: data, error, reload } = loaded
  const [search, setSearch] = useState('')
  const [length, setLength] = useState(pageLength)
  const items = data === null ? [] : kind.items(data)
  const wanted = search.trim().toLowerCase()
  const found = items.filter(item => kind.nameOf(item).toLowerCase().includes(wanted))
  return (
    <>
      {items.length >= searchable && (
        <div class="list-search">
          <Field label={words.search} type="search" value={search} onValue={setSearch} />
          <p class="hint" role="status">
            {words.count(format.count(found.length), format.count(items.length))}
          </p>
        </div>
      )}
      {failure !== null && <Failure error={failure} />}
      {error !== null && <Failure error={error} onRetry={reload} />}
      {data === null ? (
        error === null && <Loading />
      ) : found.length === 0 ? (
        <Empty text={items.length === 0 ? kind.empty : words.nothingFound} />
      ) : (
        <RecordTable kind={kind} data={data} items={found.slice(0, length)} onEdit={onEdit} onRemove={onRemove} />
      )}
      {found.length > length && (
        <button type="button" class="button" onClick={() => setLength(length + pageLength)}>
          {words.showMore}
        </button>
      )}
    </>
  )
}

interface RecordDialogProps<Item, Data> {
  readonly kind: RecordKind<Item, Data>
  readonly data: Data
  readonly open: Open<Item>
  readonly onClose: () => void
  /** Called after a change of the records. */
  readonly onDone: () => void
}

/** Form of a record, or the question whether it is to go. */
function RecordDialog<Item, Data>({ kind, data, open, onClose, onDone }: RecordDialogProps<Item, Data>) {
  const { t } = useLocale()
  const words = useSettingsTexts()
  const { client } = useViewer()
  if (open.kind === 'form')
    return (
      <FormDialog
        title={open.item === null ? kind.add : words.editOf(kind.nameOf(open.item))}
        fields={kind.fields(data, open.item)}
        draft={open.draft}
        submit={open.item === null ? words.create : t.keys.save}
        onClose={onClose}
        onSubmit={async draft => {
          await kind.save(client, draft, open.item)
          onDone()
        }}
      />
    )
  const { remove } = kind
  if (!remove) return null
  return (
    <RemoveDialog
      title={words.removeTitle(remove.action, kind.nameOf(open.item))}
      text={remove.text}
      submit={remove.action}
      onClose={onClose}
      onRemove={async () => {
        await remove.work(client, open.item)
        onDone()
      }}
    />
  )
}
