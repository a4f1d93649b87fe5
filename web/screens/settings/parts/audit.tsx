import { useState } from 'preact/hooks'
import { auditedKinds } from '../../../../schema/records/record-kinds.ts'
import { redacted } from '../../../../schema/records/secrets.ts'
import type { AuditItem, AuditPage } from '../../../../schema/requests/audit.ts'
import { useViewer } from '../../../data/viewer.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useQuery } from '../../../router/router.tsx'
import type { Format } from '../../../texts/format.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/field.tsx'
import { Await, Empty, Failure } from '../../../ui/notice.tsx'
import { Table } from '../../../ui/table.tsx'
import { useAction } from '../../../ui/use-action.ts'

/** All changes with their user or key, newest first. */
function Audit() {
  const { t } = useLocale()
  const words = t.settings
  const own = words.audit
  const { client } = useViewer()
  const [query, change] = useQuery()
  const kind = auditedKinds.find(each => each === query.get('kind')) ?? ''
  const action = useAction()
  const [more, setMore] = useState<AuditPage | null>(null)
  const loaded = useLoad(async () => {
    setMore(null)
    return client.call('GET /audit', { query: { kind, limit: '100' } })
  }, [client, kind])
  const { value } = loaded
  const { value: machines } = useLoad(() => client.call('GET /machines'), [client])
  const names = new Map((machines ?? []).map(({ id, name }) => [id, name]))
  const items = [...(value?.items ?? []), ...(more?.items ?? [])]
  const cursor = more ? more.cursor : (value?.cursor ?? null)
  const loadMore = () =>
    action.run(async () => {
      const next = await client.call('GET /audit', { query: { kind, limit: '100', cursor } })
      setMore({ items: [...(more?.items ?? []), ...next.items], cursor: next.cursor })
    })
  return (
    <>
      <h2>{words.parts.audit}</h2>
      <p class="lead">{own.intro}</p>
      <div class="list-search">
        <Select
          label={own.kind}
          value={kind}
          options={[
            { value: '', title: own.allKinds },
            ...auditedKinds
              .map(value => ({ value, title: own.kinds[value] }))
              .sort((a, b) => a.title.localeCompare(b.title)),
          ]}
          onValue={chosen => change({ kind: chosen })}
        />
      </div>
      <Await loaded={loaded}>
        {() =>
          items.length === 0 ? (
            <Empty text={own.empty} />
          ) : (
            <ol class="audit">
              {items.map((item, index) => (
                <Change key={`${item.at} ${item.kind} ${item.id} ${index}`} item={item} names={names} />
              ))}
            </ol>
          )
        }
      </Await>
      <Failure error={action.error} />
      {cursor !== null && value !== null && (
        <Button text={t.records.showMore} disabled={action.isBusy} onClick={loadMore} />
      )}
    </>
  )
}

interface ChangeProps {
  readonly item: AuditItem
  readonly names: ReadonlyMap<string, string>
}

function Change({ item, names }: ChangeProps) {
  const { t, format } = useLocale()
  const own = t.settings.audit
  const { at, actor, action, kind, id, fields } = item
  const kindName = auditedKinds.find(each => each === kind)
  const values = (record: object | null) => (record === null ? {} : Object.fromEntries(Object.entries(record)))
  const [before, after] = [values(item.before), values(item.after)]
  const latest = item.after === null ? before : after
  // A generated id has no meaning for a reader.
  const place = randomId.test(id) ? whereOf(latest, names, format) : null
  const name = nameOf(latest) ?? place ?? (id === redacted ? '' : id)
  // All fields of a created or deleted record differ.
  const shownFields = fields.length > 0 ? fields : Object.keys(latest)
  return (
    <li>
      <details>
        <summary>
          <span class="audit-what">
            <strong>{own.actions[action]}</strong> {kindName ? own.kinds[kindName] : kind}{' '}
            <span class="audit-name">{name}</span>
          </span>
          <span class="audit-who">{(actor.kind === 'service' && own.services[actor.name]) || actor.name}</span>
          <time class="audit-when" dateTime={at}>
            {format.dateTime(at)}
          </time>
        </summary>
        <Table
          columns={[
            { title: own.field, cell: field => field },
            { title: own.before, cell: field => <code>{shown(before[field])}</code> },
            { title: own.after, cell: field => <code>{shown(after[field])}</code> },
          ]}
          rows={shownFields}
          keyOf={field => field}
        />
      </details>
    </li>
  )
}

const randomId = /^[\da-f]{8}-[\da-f]{4}-/

type Values = Readonly<Record<string, unknown>>

function nameOf(values: Values): string | null {
  const { settings } = values
  const company = typeof settings === 'object' && settings !== null ? Reflect.get(settings, 'companyName') : undefined
  return textOf(values['name']) ?? textOf(values['displayName']) ?? textOf(values['jobName']) ?? textOf(company)
}

/** Machine and time of a record that has no name, such as the reason of a stop. */
function whereOf(values: Values, names: ReadonlyMap<string, string>, format: Format): string | null {
  const machine = names.get(textOf(values['machineId']) ?? '') ?? subjectOf(values)
  const when = textOf(values['startAt']) ?? textOf(values['startedAt']) ?? textOf(values['adjustmentTime'])
  return machine === null ? null : [machine, ...(when === null ? [] : [format.dateTime(when)])].join(', ')
}

/** Name of the machine or other subject of an incident. */
function subjectOf({ subject }: Values): string | null {
  return typeof subject === 'object' && subject !== null ? textOf(Reflect.get(subject, 'name')) : null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export { Audit as screen }
