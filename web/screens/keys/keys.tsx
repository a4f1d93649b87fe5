import { useState } from 'preact/hooks'
import type { ApiKey } from '../../../schema/requests/api-key.ts'
import { scopes as knownScopes } from '../../../schema/scopes.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { InUse } from '../../records/in-use.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Await, Empty, Failure } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useAction } from '../../ui/use-action.ts'
import { KeyDialog, RevokeDialog } from './key-dialogs.tsx'

type Open =
  { readonly kind: 'form'; readonly apiKey: ApiKey | null } | { readonly kind: 'revoke'; readonly apiKey: ApiKey }

/** The company's API keys: created, changed, disabled and revoked. */
function Keys() {
  const { t } = useLocale()
  const { client } = useViewer()
  const loaded = useLoad(() => client.call('GET /api-keys'), [client])
  const [open, setOpen] = useState<Open | null>(null)
  const dialog = { onClose: () => setOpen(null), onChanged: loaded.reload }
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t.screens.keys}</h1>
        <Button
          look="primary"
          icon="plus"
          text={t.keys.create}
          onClick={() => setOpen({ kind: 'form', apiKey: null })}
        />
      </div>
      <p class="lead">{t.keys.intro}</p>
      <Await loaded={loaded}>
        {keys =>
          keys.length === 0 ? (
            <Empty text={t.keys.empty} />
          ) : (
            <KeyTable keys={keys} onOpen={setOpen} onChanged={loaded.reload} />
          )
        }
      </Await>
      {open?.kind === 'form' && <KeyDialog {...dialog} apiKey={open.apiKey} />}
      {open?.kind === 'revoke' && <RevokeDialog {...dialog} apiKey={open.apiKey} />}
    </div>
  )
}

interface TableProps {
  readonly keys: readonly ApiKey[]
  readonly onOpen: (open: Open) => void
  readonly onChanged: () => void
}

function KeyTable({ keys, onOpen, onChanged }: TableProps) {
  const { t, format } = useLocale()
  const action = useAction()
  const { client } = useViewer()
  const setDisabled = ({ id }: ApiKey, disabled: boolean) =>
    action.run(async () => {
      await client.call('PATCH /api-keys/:id', { params: { id }, body: { disabled } })
      onChanged()
    })
  const titleOf = (scope: string) => {
    const known = knownScopes.find(each => each === scope)
    return known === undefined ? scope : t.scopes[known].title
  }
  const actionsOf = (apiKey: ApiKey) => {
    const { name, disabledAt } = apiKey
    const toggle = disabledAt === null ? t.keys.disable : t.keys.enable
    return (
      <>
        <Button
          look="quiet"
          text={t.keys.edit}
          aria-label={t.keys.editOf(name)}
          onClick={() => onOpen({ kind: 'form', apiKey })}
        />
        <Button
          look="quiet"
          text={toggle}
          aria-label={`${toggle}: ${name}`}
          onClick={() => setDisabled(apiKey, disabledAt === null)}
        />
        <Button
          look="quiet danger"
          text={t.keys.revoke}
          aria-label={t.keys.revokeOf(name)}
          onClick={() => onOpen({ kind: 'revoke', apiKey })}
        />
      </>
    )
  }
  const columns: readonly Column<ApiKey>[] = [
    { title: t.keys.name, cell: ({ name }) => name },
    {
      title: t.keys.scopes,
      class: 'wide',
      cell: ({ scopes }) => (
        <ul class="chips">
          {scopes.map(scope => (
            <li key={scope} class="chip" title={scope}>
              {titleOf(scope)}
            </li>
          ))}
        </ul>
      ),
    },
    { title: t.keys.created, class: 'when', cell: ({ createdAt }) => format.dateTime(createdAt) },
    {
      title: t.keys.lastUsed,
      class: 'when',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.keys.never : format.dateTime(lastUsedAt)),
    },
    { title: t.keys.state, cell: ({ disabledAt }) => <InUse is={disabledAt === null} /> },
    { title: t.keys.actions, class: 'actions', cell: actionsOf },
  ]
  return (
    <>
      <Failure error={action.error} />
      <Table look="compact loose" columns={columns} rows={keys} keyOf={({ id }) => id} />
    </>
  )
}

export { Keys as screen }
