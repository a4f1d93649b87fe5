import { useApplication } from '../../data/application.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { visitProvider } from '../sign-in/visit.ts'

/** Links the viewer's user to an identity at the provider, where one is configured. */
export function Identity() {
  const { t } = useLocale()
  const { enter } = useApplication()
  const { client, isLinked, hasPassword } = useViewer()
  const action = useAction()
  const { value } = useLoad(() => client.call('GET /session/ways'), [client])
  const provider = value?.openid
  if (!provider) return null
  const unlink = async () => {
    await client.call('DELETE /session/identity')
    await enter()
  }
  return (
    <section class="card">
      <h2>{t.signIn.at(provider.name)}</h2>
      <p>{isLinked ? t.account.linked(provider.name) : t.account.linkText(provider.name)}</p>
      {!isLinked && (
        <Button
          text={t.account.link(provider.name)}
          disabled={action.isBusy}
          onClick={() => action.run(() => visitProvider({ links: true }))}
        />
      )}
      {isLinked && hasPassword && (
        <Button text={t.account.unlink} disabled={action.isBusy} onClick={() => action.run(unlink)} />
      )}
      <Failure error={action.error} />
    </section>
  )
}
