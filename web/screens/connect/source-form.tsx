import { useState } from 'preact/hooks'
import type { Discovery } from '../../../schema/requests/connector-trial.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Labelled } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Toggles } from '../../ui/toggles.tsx'
import { useAction } from '../../ui/use-action.ts'
import { parsePasted, type Plan, type Source, sourceKinds } from './plan.ts'

const schemes = { mtconnect: 'http://', mqtt: 'mqtt://', shdr: 'tcp://' } as const
const examples = {
  mtconnect: 'http://192.168.10.20:5000',
  mqtt: 'mqtt://192.168.10.30:1883',
  shdr: 'tcp://192.168.10.40:7878',
} as const

interface SourceFormProps {
  readonly plan: Plan
  readonly onChange: (changes: Partial<Plan>) => void
  readonly onFound: (found: Discovery) => void
  /** The source has changed: what was found is of another one. */
  readonly onReset: () => void
}

/** The address of a source, or a pasted configuration. */
export function SourceForm({ plan, onChange, onFound, onReset }: SourceFormProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const { source, stored } = plan
  const hasSecrets = stored !== null && Object.keys(stored.secrets).length > 0
  const addressError = action.errorOf('address')
  const set = (changes: Partial<Source>) => {
    onReset()
    onChange({ source: { ...source, ...changes } })
  }
  const discover = async () => {
    onReset()
    const { kind, address, user, password } = source
    const secrets = password === '' ? null : { password }
    const devices = stored?.options.devices ?? null
    const body = { kind, address, user: user === '' ? null : user, secrets, devices }
    onFound(await client.call('POST /connectors/discover', { body }))
  }
  return (
    <form
      class="source-form"
      onSubmit={event => {
        event.preventDefault()
        action.run(discover)
      }}
    >
      {stored === null ? (
        <Toggles
          label={t.source.kind}
          value={source.kind}
          options={sourceKinds.map(value => ({ value, title: t.source.kinds[value] }))}
          onValue={kind => set({ kind, address: schemes[kind] })}
        />
      ) : (
        <p>{t.source.kinds[source.kind]}</p>
      )}
      <Field
        label={t.source.address}
        hint={examples[source.kind]}
        autocomplete="off"
        spellcheck={false}
        required
        value={source.address}
        error={addressError && t.source.message(addressError)}
        onValue={address => set({ address })}
      />
      {source.kind !== 'shdr' && (
        <div class="row">
          <Field label={t.source.user} autocomplete="off" value={source.user} onValue={user => set({ user })} />
          <Field
            label={t.source.password}
            type="password"
            autocomplete="new-password"
            hint={hasSecrets ? t.source.passwordStays : undefined}
            value={source.password}
            onValue={password => set({ password })}
          />
        </div>
      )}
      <Button
        look="primary"
        icon="search"
        text={action.isBusy ? t.source.discovering : t.source.discover}
        disabled={action.isBusy}
      />
      {addressError === undefined && <Failure error={action.error} />}
      {stored === null && (
        <Paste
          onUse={pasted => {
            onReset()
            onChange(pasted)
          }}
        />
      )}
    </form>
  )
}

function Paste({ onUse }: { readonly onUse: (pasted: Pick<Plan, 'name' | 'source'>) => void }) {
  const { t } = useLocale()
  const [text, setText] = useState('')
  const [isInvalid, setInvalid] = useState(false)
  const use = () => {
    const pasted = parsePasted(text)
    setInvalid(pasted === null)
    if (pasted !== null) onUse(pasted)
  }
  return (
    <details class="paste">
      <summary>{t.source.paste}</summary>
      <Labelled label={t.source.paste} hint={t.source.pasteHint} error={isInvalid ? t.source.pasteInvalid : undefined}>
        {control => (
          <textarea
            {...control}
            rows={5}
            spellcheck={false}
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
        )}
      </Labelled>
      <Button text={t.source.pasteUse} disabled={text === ''} onClick={use} />
    </details>
  )
}
