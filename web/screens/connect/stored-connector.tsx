import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Await } from '../../ui/notice.tsx'
import { ReadSource } from './read-source.tsx'
import { planOf } from './stored-plan.ts'

/** Changes a stored connector. */
export function StoredConnector({ id }: { readonly id: string }) {
  const { t } = useLocale()
  const { client } = useViewer()
  const loaded = useLoad(() => client.call('GET /connectors/:id', { params: { id } }), [client, id])
  return (
    <Await loaded={loaded}>
      {connector => (
        <>
          <p class="lead">{t.source.changes(connector.name)}</p>
          <p>
            <Link to="app/connectors">{t.screens.connectors}</Link>
          </p>
          <ReadSource first={() => planOf(connector)} />
        </>
      )}
    </Await>
  )
}
