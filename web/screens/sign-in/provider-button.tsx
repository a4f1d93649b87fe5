import { Client } from '../../data/client.ts'
import { useLoad } from '../../data/use-load.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { visitProvider } from './visit.ts'

/** Signs in at the provider of identities, where one is configured. */
export function ProviderButton() {
  const { t } = useLocale()
  const action = useAction()
  const { value } = useLoad(() => new Client(null).call('GET /session/ways'), [])
  const provider = value?.openid
  if (!provider) return null
  return (
    <>
      <Button
        look="wide"
        text={t.signIn.at(provider.name)}
        disabled={action.isBusy}
        onClick={() => action.run(() => visitProvider({ links: false }))}
      />
      <Failure error={action.error} />
      <p class="or">{t.signIn.or}</p>
    </>
  )
}
