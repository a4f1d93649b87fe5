import { h } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly value: string
  readonly onValue: (value: string) => void
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'time' | 'date' | 'number' | 'datetime-local' | 'color'
  readonly required?: boolean
  readonly minLength?: number
  readonly placeholder?: string
  readonly autocomplete?: string
  readonly spellcheck?: boolean
  /** Id of a `datalist`. */
  readonly list?: string
}

/** A labelled input with a hint under it, or what is wrong with its value. */
export function Field({ label, hint, fault, onValue, ...input }: FieldProps) {
  const id = useId()
  const note = fault ?? hint
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {h('input', {
        // A browser accepts only whole numbers by default.
        ...(input.type === 'number' && { step: 'any' }),
        ...input,
        id,
        'aria-invalid': fault !== undefined,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        onInput: (event: { readonly currentTarget: { readonly value: string } }) => onValue(event.currentTarget.value),
      })}
      {note !== undefined && (
        <p id={`${id}-note`} class={fault === undefined ? 'hint' : 'fault'}>
          {note}
        </p>
      )}
    </div>
  )
}

interface SelectProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly title: string }[]
  readonly onValue: (value: Value) => void
  readonly hint?: string | undefined
  readonly fault?: string | undefined
}

/** A labelled choice of one of some values. */
export function Select<Value extends string>({ label, value, options, onValue, hint, fault }: SelectProps<Value>) {
  const id = useId()
  const note = fault ?? hint
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        onChange={event => {
          const chosen = options[event.currentTarget.selectedIndex]
          if (chosen) onValue(chosen.value)
        }}
      >
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
      {note !== undefined && (
        <p id={`${id}-note`} class={fault === undefined ? 'hint' : 'fault'}>
          {note}
        </p>
      )}
    </div>
  )
}
