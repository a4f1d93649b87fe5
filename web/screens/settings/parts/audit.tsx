import { useState } from 'preact/hooks'
import { auditedKinds } from '../../../../schema/records/record-kinds.ts'
import type { AuditItem } from '../../../../schema/requests/audit.ts'
import { useViewer } from '../../../data/viewer-context.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useQuery } from '../../../router/router.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Select } from '../../../ui/field.tsx'
import { Empty, Failure, Loading } from '../../../ui/notice.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { useSettingsTexts } from '../settings-texts.ts'

/** Who changed what: newest first. */
function Audit() {
  const words = useSettingsTexts()
  const own = words.audit
  const { client } = useViewer()
  const [query, change] = useQuery()
  const kind = auditedKinds.find(each => each === query.get('kind')) ?? ''
  const action = useAction()
  const [more, setMore] = useState<{ readonly items: readonly AuditItem[]; readonly cursor: string | null } | null>(
    null,
  )
  const { value, error, reload } = useLoad(async () => {
    setMore(null)
    return client.call('GET /audit', { query: { kind, limit: '100' } })
  }, [client, kind])
  const items = [...(value?.items ?? []), ...(more?.items ?? [])]
  const cursor = more ? more.cursor : (value?.cursor ?? null)
  const loadMore = () =>
    action.run(async () => {
      const next = await client.call('GET /audit', { query: { kind, limit: '100', cursor } })
      setMore({ items: [...(more?.items ?? []), ...next.items], cursor: next.cursor })
    })
  return (
    <>
      <h2>{own.title}</h2>
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
      {error !== null && <Failure error={error} onRetry={reload} />}
      {value === null ? (
        error === null && <Loading />
      ) : items.length === 0 ? (
        <Empty text={own.empty} />
      ) : (
        <ol class="audit">
          {items.map((item, index) => (
            <Change key={`${item.at} ${item.kind} ${item.id} ${index}`} item={item} />
          ))}
        </ol>
      )}
      {action.error !== null && <Failure error={action.error} />}
      {cursor !== null && value !== null && (
        <button type="button" class="button" disabled={action.isBusy} onClick={loadMore}>
          {words.showMore}
        </button>
      )}
    </>
  )
}

function Change({ item }: { readonly item: AuditItem }) {
  const { format } = useLocale()
  const own = useSettingsTexts().audit
  const { at, actor, action, kind, id, fields } = item
  const kindName = auditedKinds.find(each => each === kind)
  const values = (record: object | null) => (record === null ? {} : Object.fromEntries(Object.entries(record)))
  const [before, after] = [values(item.before), values(item.after)]
  return (
    <li>
      <details>
        <summary>
          <span class="audit-what">
            <strong>{own.actions[action]}</strong> {kindName ? own.kinds[kindName] : kind}{' '}
            <span class="audit-name">{nameOf(after) ?? nameOf(before) ?? id}</span>
          </span>
          <span class="audit-who">{actor.name}</span>
          <time class="audit-when" dateTime={at}>
            {format.dateTime(at)}
          </time>
        </summary>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{own.field}</th>
              <th scope="col">{own.before}</th>
              <th scope="col">{own.after}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(field => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td data-label={own.before}>
                  <code>{shown(before[field])}</code>
                </td>
                <td data-label={own.after}>
                  <code>{shown(after[field])}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </li>
  )
}

function nameOf(values: Readonly<Record<string, unknown>>): string | null {
  const name = values['name'] ?? values['displayName'] ?? values['jobName']
  return typeof name === 'string' && name !== '' ? name : null
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export { Audit as part }
