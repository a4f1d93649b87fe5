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
      {connector => {
        const plan = planOf(connector)
        return (
          <>
            <p class="lead">{plan === null ? t.source.onlyByApi(connector.name) : t.source.changes(connector.name)}</p>
            <p>
              <Link to="app/connectors">{t.screens.connectors}</Link>
            </p>
            {plan && <ReadSource first={() => plan} />}
          </>
        )
      }}
    </Await>
  )
}
