import { useState } from 'preact/hooks'
import type { ApiKey } from '../../../schema/requests/api-key.ts'
import { scopes as knownScopes } from '../../../schema/scopes.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { useLocale } from '../../texts/locale.ts'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { CreateDialog, EditDialog, RevokeDialog } from './key-dialogs.tsx'

type Open = { readonly kind: 'create' } | { readonly kind: 'edit' | 'revoke'; readonly apiKey: ApiKey }

/** The company's API keys: made, changed, disabled and revoked. */
function Keys() {
  const { t } = useLocale()
  const { client } = useViewer()
  const { value: keys, error, reload } = useLoad(() => client.call('GET /api-keys'), [client])
  const [open, setOpen] = useState<Open | null>(null)
  const dialog = { onClose: () => setOpen(null), onChanged: reload }
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t.keys.title}</h1>
        <button type="button" class="button primary" onClick={() => setOpen({ kind: 'create' })}>
          <Icon name="plus" size={16} />
          {t.keys.create}
        </button>
      </div>
      <p class="lead">{t.keys.intro}</p>
      {error !== null && <Failure error={error} onRetry={reload} />}
      {keys === null ? (
        error === null && <Loading />
      ) : keys.length === 0 ? (
        <Empty text={t.keys.empty} />
      ) : (
        <KeyTable keys={keys} onOpen={setOpen} onChanged={reload} />
      )}
      {open?.kind === 'create' && <CreateDialog {...dialog} />}
      {open?.kind === 'edit' && <EditDialog {...dialog} apiKey={open.apiKey} />}
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
  const { t } = useLocale()
  const action = useAction()
  const { client } = useViewer()
  const setDisabled = ({ id }: ApiKey, disabled: boolean) =>
    action.run(async () => {
      await client.call('PATCH /api-keys/:id', { params: { id }, body: { disabled } })
      onChanged()
    })
  return (
    <>
      {action.error !== null && <Failure error={action.error} />}
      <table class="table compact loose">
        <thead>
          <tr>
            <th scope="col">{t.keys.name}</th>
            <th scope="col">{t.keys.scopes}</th>
            <th scope="col">{t.keys.created}</th>
            <th scope="col">{t.keys.lastUsed}</th>
            <th scope="col">{t.keys.state}</th>
            <th scope="col">{t.keys.actions}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map(apiKey => (
            <KeyRow key={apiKey.id} apiKey={apiKey} onOpen={onOpen} onDisable={is => setDisabled(apiKey, is)} />
          ))}
        </tbody>
      </table>
    </>
  )
}

interface RowProps {
  readonly apiKey: ApiKey
  readonly onOpen: (open: Open) => void
  readonly onDisable: (isDisabled: boolean) => void
}

function KeyRow({ apiKey, onOpen, onDisable }: RowProps) {
  const { t, format } = useLocale()
  const { name, scopes, createdAt, lastUsedAt, disabledAt } = apiKey
  const titleOf = (scope: string) => {
    const known = knownScopes.find(each => each === scope)
    return known === undefined ? scope : t.scopes[known].title
  }
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="wide" data-label={t.keys.scopes}>
        <ul class="chips">
          {scopes.map(scope => (
            <li key={scope} class="chip" title={scope}>
              {titleOf(scope)}
            </li>
          ))}
        </ul>
      </td>
      <td class="when" data-label={t.keys.created}>
        {format.dateTime(createdAt)}
      </td>
      <td class="when" data-label={t.keys.lastUsed}>
        {lastUsedAt === null ? t.keys.never : format.dateTime(lastUsedAt)}
      </td>
      <td data-label={t.keys.state}>
        <span class="state" data-on={disabledAt === null}>
          {disabledAt === null ? t.keys.inUse : t.keys.disabled}
        </span>
      </td>
      <td class="actions">
        <button
          type="button"
          class="button quiet"
          aria-label={t.keys.editOf(name)}
          onClick={() => onOpen({ kind: 'edit', apiKey })}
        >
          {t.keys.edit}
        </button>
        <button
          type="button"
          class="button quiet"
          aria-label={`${disabledAt === null ? t.keys.disable : t.keys.enable}: ${name}`}
          onClick={() => onDisable(disabledAt === null)}
        >
          {disabledAt === null ? t.keys.disable : t.keys.enable}
        </button>
        <button
          type="button"
          class="button quiet danger"
          aria-label={t.keys.revokeOf(name)}
          onClick={() => onOpen({ kind: 'revoke', apiKey })}
        >
          {t.keys.revoke}
        </button>
      </td>
    </tr>
  )
}

export { Keys as screen }
