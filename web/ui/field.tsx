import { type ComponentChildren, h } from 'preact'
import { useId } from 'preact/hooks'

interface LabelProps {
  readonly label: string
  readonly hint?: string | undefined
  /** Error of the value, shown in place of the hint. */
  readonly error?: string | undefined
}

interface LabelledProps extends LabelProps {
  readonly children: (control: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
  }) => ComponentChildren
}

/** A control with its label, and a hint or an error under it. */
export function Labelled({ label, hint, error, children }: LabelledProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': note === undefined ? undefined : `${id}-note` })}
      {note !== undefined && (
        <p id={`${id}-note`} class={error === undefined ? 'hint' : 'fault'}>
          {note}
        </p>
      )}
    </div>
  )
}

interface FieldProps extends LabelProps {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'time' | 'date' | 'number' | 'datetime-local' | 'color'
  readonly required?: boolean | undefined
  readonly minLength?: number | undefined
  readonly placeholder?: string
  readonly autocomplete?: string
  readonly spellcheck?: boolean
  /** Id of a `datalist`. */
  readonly list?: string | undefined
}

/** A labelled input. */
export function Field({ label, hint, error, onValue, ...input }: FieldProps) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {control =>
        h('input', {
          // A browser accepts only whole numbers by default.
          ...(input.type === 'number' && { step: 'any' }),
          ...input,
          ...control,
          'aria-invalid': error !== undefined,
          onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
            onValue(event.currentTarget.value),
        })
      }
    </Labelled>
  )
}

interface TextAreaProps extends LabelProps {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly rows: number
  readonly maxLength?: number
  readonly autocomplete?: string
  readonly spellcheck?: boolean
}

/** A labelled field for several lines of text. */
export function TextArea({ label, hint, error, onValue, ...area }: TextAreaProps) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {control => <textarea {...area} {...control} onInput={event => onValue(event.currentTarget.value)} />}
    </Labelled>
  )
}

export interface SelectProps<Value extends string> extends LabelProps {
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly title: string }[]
  readonly onValue: (value: Value) => void
}

/** A labelled choice of one of some values. */
export function Select<Value extends string>({ value, options, onValue, ...label }: SelectProps<Value>) {
  return (
    <Labelled {...label}>
      {control => (
        <select
          {...control}
          value={value}
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
      )}
    </Labelled>
  )
}
