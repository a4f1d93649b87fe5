import { useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Chooser } from '../../ui/chooser.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Toggles } from '../../ui/toggles.tsx'
import { discoverOf } from './found.ts'
import { movedSecrets, parsePasted, type Plan, type Source, sourceKinds } from './plan.ts'
import type { Reading } from './use-reading.ts'

const schemes = { mtconnect: 'http://', mqtt: 'mqtt://', shdr: 'tcp://', http: '' } as const
const examples = {
  mtconnect: 'http://192.168.10.20:5000',
  mqtt: 'mqtt://192.168.10.30:1883',
  shdr: 'tcp://192.168.10.40:7878',
} as const

interface SourceFormProps {
  readonly plan: Plan
  /** Without those of other connectors. */
  readonly machines: readonly MachineListItem[]
  readonly reading: Reading
  readonly onChange: (changes: Partial<Plan>) => void
  /** The source has changed: what was found is of another one. */
  readonly onReset: () => void
}

/** The address of a source or the machine of posted samples, or a pasted configuration. */
export function SourceForm({ plan, machines, reading, onChange, onReset }: SourceFormProps) {
  const { t } = useLocale()
  const { source, stored } = plan
  const addressError = reading.errorOf('address')
  const reset = () => {
    reading.stop()
    onReset()
  }
  const set = (changes: Partial<Source>) => {
    reset()
    onChange({ source: { ...source, ...changes }, ...(stored === null && { assignments: [] }) })
  }
  return (
    <form
      class="source-form"
      onSubmit={event => {
        event.preventDefault()
        reset()
        reading.start(discoverOf(plan))
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
      {source.kind === 'http' ? (
        <>
          <p class="hint">{t.source.postedHint}</p>
          <Chooser
            label={t.source.postedMachine}
            value={source.machineId}
            options={[
              ...(source.machineId === '' ? [{ value: '', title: t.source.selectMachine }] : []),
              ...machines.map(({ id, name }) => ({ value: id, title: name })),
            ]}
            onValue={machineId => set({ machineId })}
          />
        </>
      ) : (
        <Field
          label={t.source.address}
          hint={t.source.addressHint(examples[source.kind])}
          autocomplete="off"
          spellcheck={false}
          required
          value={source.address}
          error={addressError && t.source.message(addressError)}
          onValue={address => set({ address })}
        />
      )}
      {(source.kind === 'mtconnect' || source.kind === 'mqtt') && <Credentials plan={plan} onSet={set} />}
      <Button
        look="primary"
        icon="search"
        text={reading.isBusy ? t.source.discovering : t.source.discover}
        disabled={reading.isBusy || (source.kind === 'http' && source.machineId === '')}
      />
      {addressError === undefined && <Failure error={reading.error} />}
      {stored === null && (
        <Paste
          onUse={pasted => {
            reset()
            onChange({ ...pasted, assignments: [] })
          }}
        />
      )}
    </form>
  )
}

interface CredentialsProps {
  readonly plan: Plan
  readonly onSet: (changes: Partial<Source>) => void
}

/** User and password, and the other secrets that a changed host requires again. */
function Credentials({ plan, onSet }: CredentialsProps) {
  const { t } = useLocale()
  const { source, stored } = plan
  const moved = movedSecrets(plan)
  const hasSecrets = stored !== null && Object.keys(stored.secrets).length > 0
  return (
    <>
      {moved.length > 0 && <p class="notice problem">{t.source.secretsMoved}</p>}
      <div class="row">
        <Field label={t.source.user} autocomplete="off" value={source.user} onValue={user => onSet({ user })} />
        <Field
          label={t.source.password}
          type="password"
          autocomplete="new-password"
          hint={hasSecrets && moved.length === 0 ? t.source.passwordStays : undefined}
          value={source.password}
          onValue={password => onSet({ password })}
        />
      </div>
      {moved
        .filter(field => field !== 'password')
        .map(field => (
          <TextArea
            key={field}
            label={t.source.secrets[field]}
            rows={field.endsWith('File') ? 1 : 3}
            autocomplete="off"
            spellcheck={false}
            value={source.secrets[field] ?? ''}
            onValue={to => onSet({ secrets: { ...source.secrets, [field]: to } })}
          />
        ))}
    </>
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
      <TextArea
        label={t.source.paste}
        hint={t.source.pasteHint}
        error={isInvalid ? t.source.pasteInvalid : undefined}
        rows={5}
        spellcheck={false}
        value={text}
        onValue={setText}
      />
      <Button text={t.source.pasteUse} disabled={text === ''} onClick={use} />
    </details>
  )
}
