import { useId, useState } from 'preact/hooks'
import { useLocale } from '../../texts/locale.ts'
import { Field, Select } from '../../ui/field.tsx'
import { useSettingsTexts } from './settings-texts.ts'

/** Values of a form by field: texts, flags, lists of what is chosen. */
export type Draft = Readonly<Record<string, string | boolean | readonly string[]>>

interface Option {
  readonly value: string
  readonly title: string
}

/** A field of a form. `name` is the field of the API, whose errors are shown beside it. */
export type FieldSpec = {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
} & (
  | {
      readonly kind: 'text' | 'email' | 'password' | 'time' | 'date' | 'number' | 'color'
      readonly required?: boolean
      readonly minLength?: number
      readonly list?: string
    }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
  | { readonly kind: 'choices'; readonly options: readonly Option[] }
)

interface FormFieldProps {
  readonly spec: FieldSpec
  readonly draft: Draft
  readonly fault: string | undefined
  readonly onChange: (draft: Draft) => void
}

/** One field of a form, by its kind. */
export function FormField({ spec, draft, fault, onChange }: FormFieldProps) {
  const { name, label, hint } = spec
  const value = draft[name]
  const set = (next: string | boolean | readonly string[]) => onChange({ ...draft, [name]: next })
  if (spec.kind === 'flag') return <Flag label={label} hint={hint} fault={fault} isOn={value === true} onChange={set} />
  if (spec.kind === 'choice')
    return <Select label={label} hint={hint} fault={fault} value={textOf(value)} options={spec.options} onValue={set} />
  if (spec.kind === 'choices')
    return (
      <Choices
        label={label}
        hint={fault ?? hint}
        options={spec.options}
        chosen={Array.isArray(value) ? value : []}
        onChange={set}
      />
    )
  const { kind, required, minLength, list } = spec
  return (
    <Field
      label={label}
      hint={hint}
      fault={fault}
      type={kind}
      value={textOf(value)}
      onValue={set}
      autocomplete={kind === 'password' ? 'new-password' : 'off'}
      {...(required && { required })}
      {...(minLength !== undefined && { minLength })}
      {...(list !== undefined && { list })}
    />
  )
}

function textOf(value: Draft[string] | undefined): string {
  return typeof value === 'string' ? value : ''
}

interface FlagProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

/** A labelled box to tick. */
export function Flag({ label, hint, fault, isOn, onChange }: FlagProps) {
  const note = fault ?? hint
  return (
    <label class="flag">
      <input type="checkbox" checked={isOn} onChange={event => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {note !== undefined && <span class={fault === undefined ? 'hint' : 'fault'}>{note}</span>}
      </span>
    </label>
  )
}

interface ChoicesProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly options: readonly Option[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Choices of this length can be searched. */
const searchable = 20
/** Boxes that are drawn. */
const mostBoxes = 100

/** Checkboxes; initially checked ones first. A selected value without an option stays selected. */
function Choices({ label, hint, options, chosen, onChange }: ChoicesProps) {
  const id = useId()
  const words = useSettingsTexts()
  const { format } = useLocale()
  const [search, setSearch] = useState('')
  const [atFirst] = useState(() => new Set(chosen))
  const isLong = options.length > searchable
  const wanted = search.trim().toLowerCase()
  const found = options.filter(({ title }) => title.toLowerCase().includes(wanted))
  const ordered = isLong
    ? [...found.filter(({ value }) => atFirst.has(value)), ...found.filter(({ value }) => !atFirst.has(value))]
    : found
  const shown = ordered.slice(0, mostBoxes)
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter(each => each !== value) : [...chosen, value])
  return (
    <fieldset class="choices" aria-describedby={hint === undefined ? undefined : id}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p id={id} class="hint">
          {hint}
        </p>
      )}
      {isLong && (
        <>
          <Field label={words.search} type="search" autocomplete="off" value={search} onValue={setSearch} />
          <p class="hint" role="status">
            {words.count(format.count(shown.length), format.count(options.length))}
          </p>
        </>
      )}
      <div class="choice-list">
        {shown.map(({ value, title }) => (
          <Flag key={value} label={title} isOn={chosen.includes(value)} onChange={() => toggle(value)} />
        ))}
      </div>
    </fieldset>
  )
}
