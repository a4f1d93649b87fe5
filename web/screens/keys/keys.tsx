import type { ApiKey } from '../../../schema/requests/api-key.ts'
import { scopes as knownScopes } from '../../../schema/scopes.ts'
import { InUse } from '../../records/in-use.tsx'
import { RecordList } from '../../records/record-list.tsx'
import { useLocale } from '../../texts/locale.ts'
import { KeyDialog } from './key-dialog.tsx'

/** The company's API keys: created, changed, disabled and revoked. */
function Keys() {
  const { t, format } = useLocale()
  const words = t.keys
  const titleOf = (scope: string) => {
    const known = knownScopes.find(each => each === scope)
    return known === undefined ? scope : t.scopeTitles[known]
  }
  return (
    <div class="page">
      <RecordList<ApiKey, readonly ApiKey[], never>
        kind={{
          ...words,
          title: t.screens.keys,
          isPage: true,
          removeNote: ({ lastUsedAt }) => lastUsedAt && words.removeNote(format.dateTime(lastUsedAt)),
          load: client => client.call('GET /api-keys'),
          items: keys => keys,
          nameOf: ({ name }) => name,
          columns: () => [
            {
              title: words.scopes,
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
            { title: words.created, class: 'when', cell: ({ createdAt }) => format.dateTime(createdAt) },
            {
              title: words.lastUsed,
              class: 'when',
              cell: ({ lastUsedAt }) => (lastUsedAt === null ? words.never : format.dateTime(lastUsedAt)),
            },
            { title: t.terms.state, cell: ({ disabledAt }) => <InUse is={disabledAt === null} /> },
          ],
          action: ({ id, disabledAt }) => ({
            text: disabledAt === null ? words.disable : words.enable,
            run: client =>
              client.call('PATCH /api-keys/:id', { params: { id }, body: { disabled: disabledAt === null } }),
          }),
          onRemove: (client, { id }) => client.call('DELETE /api-keys/:id', { params: { id } }),
          form: props => <KeyDialog {...props} />,
        }}
      />
    </div>
  )
}

export { Keys as screen }
