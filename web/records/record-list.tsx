import type { ComponentChildren } from 'preact'
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
  const words = { ...t.records, ...kind }
  const edit = (item: Item | null) =>
    action.run(async () => {
      const details = item && !kind.form ? await kind.details?.(item, client) : null
      setOpen({ kind: 'form', item, record: details ?? item })
    })
  const actionsOf = (item: Item) => {
    const name = kind.nameOf(item)
    const other = kind.action?.(item)
    const runOther = async () => {
      await other?.run(client)
      reload()
    }
    return (
      <>
        <Button look="quiet" text={t.keys.edit} aria-label={words.editOf(name)} onClick={() => edit(item)} />
        {other && <Button look="quiet" text={other.text} of={name} onClick={() => action.run(runOther)} />}
        <Button
          look="quiet"
          text={words.remove}
          aria-label={words.removeOf(words.remove, name)}
          onClick={() => setOpen({ kind: 'remove', item })}
        />
      </>
    )
  }
  const Title = kind.isPage ? 'h1' : 'h2'
  return (
    <>
      <div class="page-head">
        <Title>{kind.title}</Title>
        <div class="head-buttons">
          {kind.more?.(reload, data)}
          <Button
            look="primary"
            icon="plus"
            text={kind.add}
            disabled={data === null && !kind.form}
            onClick={() => edit(null)}
          />
        </div>
      </div>
      <p class="lead">{kind.intro}</p>
      <Failure error={action.error} />
      <Await loaded={loaded}>{value => <FoundRecords kind={kind} data={value} actionsOf={actionsOf} />}</Await>
      {open && <RecordDialog kind={kind} data={data} open={open} onClose={() => setOpen(null)} onChanged={reload} />}
    </>
  )
}

/** Minimum length of a list with a search field. */
const searchable = 8
/** Number of rows that are drawn at first, and that the button adds. */
const pageLength = 200

interface FoundRecordsProps<Item, Data, Body> extends RecordListProps<Item, Data, Body> {
  readonly data: Data
  readonly actionsOf: (item: Item) => ComponentChildren
}

/** The records that match the search, up to a limit that the user can raise. */
function FoundRecords<Item extends Identified, Data, Body>({
  kind,
  data,
  actionsOf,
}: FoundRecordsProps<Item, Data, Body>) {
  const { t, format } = useLocale()
  const [search, setSearch] = useState('')
  const [length, setLength] = useState(pageLength)
  const { nameOf, moreOf } = kind
  const items = kind.items(data)
  const wanted = search.trim().toLowerCase()
  const found = items.filter(item => nameOf(item).toLowerCase().includes(wanted))
  const shown = found.slice(0, length)
  const name: Column<Item> = {
    title: t.terms.name,
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
      ) : kind.card ? (
        shown.map(item => (
          <article key={item.id} class="card">
            <div class="page-head">
              <h3>{nameOf(item)}</h3>
              <div class="head-buttons">{actionsOf(item)}</div>
            </div>
            {kind.card?.(item)}
          </article>
        ))
      ) : (
        <Table
          look={kind.isPage ? 'compact loose' : 'compact'}
          columns={[name, ...kind.columns(data), { title: t.keys.actions, class: 'actions', cell: actionsOf }]}
          rows={shown}
          keyOf={({ id }) => id}
          sectionOf={kind.sectionOf}
        />
      )}
      {found.length > length && <Button text={t.records.showMore} onClick={() => setLength(length + pageLength)} />}
    </>
  )
}

interface RecordDialogProps<Item, Data, Body> extends RecordListProps<Item, Data, Body> {
  readonly data: Data | null
  readonly open: Open<Item>
  readonly onClose: () => void
  readonly onChanged: () => void
}

/** The form of a record, or the confirmation of its deletion. */
function RecordDialog<Item, Data, Body>(props: RecordDialogProps<Item, Data, Body>) {
  const { kind, data, open, onClose, onChanged } = props
  const { t } = useLocale()
  const { client } = useViewer()
  const { item } = open
  const words = { ...t.records, ...kind }
  const afterwards = async (work: Promise<unknown>) => {
    await work
    onClose()
    onChanged()
  }
  if (open.kind === 'remove') {
    const note = kind.removeNote?.(open.item) ?? null
    return (
      <RemoveDialog
        title={words.removeTitle(words.remove, kind.nameOf(open.item))}
        text={kind.removeText}
        submit={words.remove}
        onClose={onClose}
        onRemove={() => afterwards(kind.onRemove(client, open.item))}
      >
        {note !== null && <p>{note}</p>}
      </RemoveDialog>
    )
  }
  if (kind.form) return <>{kind.form({ item, onClose, onChanged })}</>
  if (data === null) return null
  return (
    <FormDialog
      title={item === null ? kind.add : words.editOf(kind.nameOf(item))}
      fields={kind.fields(data, item)}
      record={open.record}
      submit={item === null ? t.records.create : t.keys.save}
      onClose={onClose}
      onSubmit={(body: Body) => afterwards(kind.onSave(client, body, item))}
    />
  )
}
