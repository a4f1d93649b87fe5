import { type Scope, scopes } from '../../../schema/scopes.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'

/** Scopes that a kind of program needs. */
const presets = {
  dashboard: ['reporting'],
  gateway: ['ingest.activity'],
  erp: ['erp'],
  terminal: ['annotation', 'operator', 'part-adjustment', 'reporting'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>

const presetNames = ['dashboard', 'gateway', 'erp', 'terminal'] as const

interface ScopeChoiceProps {
  readonly value: readonly string[]
  readonly onChange: (scopes: readonly Scope[]) => void
  readonly error: string | undefined
}

/** The scopes of a key, each with what it allows. */
export function ScopeChoice({ value, onChange, error }: ScopeChoiceProps) {
  const { t } = useLocale()
  const toggle = (scope: Scope) => onChange(scopes.filter(each => (each === scope) !== value.includes(each)))
  return (
    <fieldset class="scope-choice" aria-describedby="scopes-note">
      <legend>{t.keys.scopes}</legend>
      <p id="scopes-note" class={error === undefined ? 'hint' : 'fault'}>
        {error ?? t.keys.scopesHint}
      </p>
      <div class="presets" role="group" aria-label={t.keys.presets}>
        {presetNames.map(name => (
          <Button key={name} look="quiet" text={t.presets[name]} onClick={() => onChange(presets[name])} />
        ))}
      </div>
      <div class="scope-list">
        {scopes.map(scope => (
          <label key={scope} class="scope">
            <input type="checkbox" checked={value.includes(scope)} onChange={() => toggle(scope)} />
            <span>
              <strong>{t.scopeTitles[scope]}</strong> <code>{scope}</code>
              <span class="hint">{t.scopes[scope]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
