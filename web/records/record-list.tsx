import { useState } from 'preact/hooks'
import { useLoad } from '../data/use-load.ts'
import { useViewer } from '../data/viewer.ts'
import { useLocale } from '../texts/locale.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Await, Empty, Failure } from '../ui/notice.tsx'
import { RemoveDialog } from '../ui/dialog.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useAction } from '../ui/use-action.ts'
import { FormDialog } from './record-form.tsx'
import type { RecordKind } from './record-kind.ts'

type Open<Item> =
  | { readonly kind: 'form'; readonly item: Item | null; readonly record: object | null }
  | { readonly kind: 'remove'; readonly item: Item }

interface Identified {
  readonly id: string | number
}

interface RecordListProps<Item, Data, Body> {
  readonly kind: RecordKind<Item, Data, Body>
}

/** A list of records with a form for each. */
export function RecordList<Item extends Identified, Data, Body>({ kind }: RecordListProps<Item, Data, Body>) {
  const { t } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const loaded = useLoad(() => kind.load(client), [client])
  const { value: data, reload } = loaded
  const [open, setOpen] = useState<Open<Item> | null>(null)
  const edit = (item: Item | null) =>
    action.run(async () =>
      setOpen({ kind: 'form', item, record: item && ((await kind.details?.(item, client)) ?? item) }),
    )
  const removal = kind.remove ?? t.records.remove
  const actions: Column<Item> = {
    title: t.keys.actions,
    class: 'actions',
    cell: item => (
      <>
        <Button
          look="quiet"
          text={t.keys.edit}
          aria-label={t.records.editOf(kind.nameOf(item))}
          onClick={() => edit(item)}
        />
        <Button
          look="quiet danger"
          text={removal}
          aria-label={t.records.removeOf(removal, kind.nameOf(item))}
          onClick={() => setOpen({ kind: 'remove', item })}
        />
      </>
    ),
  }
  return (
    <>
      <div class="page-head">
        <h2>{kind.title}</h2>
        <div class="head-buttons">
          {kind.more?.(reload, data)}
          <Button look="primary" icon="plus" text={kind.add} disabled={data === null} onClick={() => edit(null)} />
        </div>
      </div>
      <p class="lead">{kind.intro}</p>
      <Failure error={action.error} />
      <Await loaded={loaded}>{value => <FoundRecords kind={kind} data={value} actions={actions} />}</Await>
      {open !== null && data !== null && (
        <RecordDialog
          kind={kind}
          data={data}
          open={open}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null)
            reload()
          }}
        />
      )}
    </>
  )
}

/** Minimum length of a list with a search field. */
const searchable = 8
/** Number of rows that are drawn at first, and that the button adds. */
const pageLength = 200

interface FoundRecordsProps<Item, Data, Body> extends RecordListProps<Item, Data, Body> {
  readonly data: Data
  readonly actions: Column<Item>
}

/** The records that match the search, up to a limit that the user can raise. */
function FoundRecords<Item extends Identified, Data, Body>({
  kind,
  data,
  actions,
}: FoundRecordsProps<Item, Data, Body>) {
  const { t, format } = useLocale()
  const [search, setSearch] = useState('')
  const [length, setLength] = useState(pageLength)
  const { nameOf, moreOf } = kind
  const items = kind.items(data)
  const wanted = search.trim().toLowerCase()
  const found = items.filter(item => nameOf(item).toLowerCase().includes(wanted))
  const name: Column<Item> = {
    title: t.keys.name,
    cell: item => (
      <>
        {nameOf(item)}
        {moreOf && <span class="hint under-name">{moreOf(item)}</span>}
      </>
    ),
  }
  return (
    <>
      {items.length >= searchable && (
        <div class="list-search">
          <Field label={t.records.search} type="search" value={search} onValue={setSearch} />
          <p class="hint" role="status">
            {t.records.count(format.count(found.length), format.count(items.length))}
          </p>
        </div>
      )}
      {found.length === 0 ? (
        <Empty text={items.length === 0 ? kind.empty : t.records.nothingFound} />
      ) : (
        <Table
          look="compact"
          columns={[name, ...kind.columns(data), actions]}
          rows={found.slice(0, length)}
          keyOf={({ id }) => id}
        />
      )}
      {found.length > length && <Button text={t.records.showMore} onClick={() => setLength(length + pageLength)} />}
    </>
  )
}

interface RecordDialogProps<Item, Data, Body> extends RecordListProps<Item, Data, Body> {
  readonly data: Data
  readonly open: Open<Item>
  readonly onClose: () => void
  /** Called after a change of the records. */
  readonly onDone: () => void
}

/** The form of a record, or the confirmation of its deletion. */
function RecordDialog<Item, Data, Body>({ kind, data, open, onClose, onDone }: RecordDialogProps<Item, Data, Body>) {
  const { t } = useLocale()
  const { client } = useViewer()
  const { item } = open
  if (open.kind === 'form')
    return (
      <FormDialog
        title={item === null ? kind.add : t.records.editOf(kind.nameOf(item))}
        fields={kind.fields(data, item)}
        record={open.record}
        submit={item === null ? t.records.create : t.keys.save}
        onClose={onClose}
        onSubmit={async (body: Body) => {
          await kind.onSave(client, body, item)
          onDone()
        }}
      />
    )
  const removal = kind.remove ?? t.records.remove
  return (
    <RemoveDialog
      title={t.records.removeTitle(removal, kind.nameOf(open.item))}
      text={kind.removeText}
      submit={removal}
      onClose={onClose}
      onRemove={async () => {
        await kind.onRemove(client, open.item)
        onDone()
      }}
    />
  )
}
