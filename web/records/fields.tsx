import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { useLocale } from '../texts/locale.ts'
import { Chooser } from '../ui/chooser.tsx'
import { Field } from '../ui/field.tsx'

type Value = string | boolean | readonly string[]
/** Values of a form by field: texts, flags, lists of selected values. */
export type Draft = Readonly<Record<string, Value>>

interface Option {
  readonly value: string
  readonly title: string
}

interface CustomProps<V> {
  readonly value: V
  readonly error: string | undefined
  readonly onChange: (value: V) => void
}

/** A field of a form. */
export type FieldSpec<Name extends string = string> = {
  /** Member of the request's body, or `member.member`, whose errors are shown beside the field. */
  readonly name: Name
  readonly label: string
  readonly hint?: string | undefined
  /** Value in the form of a new record. */
  readonly initial?: string | boolean
  /** Message for a value that cannot be sent. */
  readonly check?: (value: Value | undefined) => string | undefined
  /** Consecutive fields of the same row are side by side. */
  readonly row?: string
} & (
  | {
      readonly kind: 'text' | 'email' | 'password' | 'time' | 'color' | 'number' | 'datetime-local'
      readonly required?: boolean
      readonly minLength?: number
      readonly list?: string
      /** Converts a number of the record to the displayed unit. */
      readonly show?: (stored: number) => number
      /** Converts a displayed number to the unit of the record. */
      readonly store?: (shown: number) => number
    }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
  | { readonly kind: 'radio'; readonly options: readonly Option[] }
  | { readonly kind: 'choices'; readonly options: readonly Option[] }
  | {
      readonly kind: 'list'
      readonly control: (props: CustomProps<readonly string[]>) => ComponentChildren
    }
)

/** Values of the form of a record; null: of a new record. */
export function draftOf(fields: readonly FieldSpec[], record: object | null): Draft {
  const memberAt = (name: string) =>
    name
      .split('.')
      .reduce<unknown>((at, part) => (typeof at === 'object' && at ? Reflect.get(at, part) : undefined), record)
  return Object.fromEntries(fields.map(field => [field.name, shownValue(field, memberAt(field.name))]))
}

function shownValue(field: FieldSpec, stored: unknown): Value {
  const value = stored ?? field.initial
  if (field.kind === 'flag') return value === true
  if (field.kind === 'choices' || field.kind === 'list') return Array.isArray(value) ? value : []
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(field.kind === 'number' ? (field.show?.(value) ?? value) : value)
  if (field.kind === 'color') return '#808080'
  return field.kind === 'choice' ? (field.options[0]?.value ?? '') : ''
}

/** Body of the request that sends a form. Members whose field is empty are left out. */
export function bodyOf(fields: readonly FieldSpec[], draft: Draft): object {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const [name = '', inner] = field.name.split('.')
    const value = storedValue(field, draft[field.name])
    body[name] = inner === undefined ? value : Object.assign({}, body[name], { [inner]: value })
  }
  return body
}

function storedValue(field: FieldSpec, shown: Value | undefined): Value | number | undefined {
  if (typeof shown !== 'string') return shown
  const text = field.kind === 'password' ? shown : shown.trim()
  if (text === '') return undefined
  return field.kind === 'number' ? (field.store?.(Number(text)) ?? Number(text)) : text
}

interface FormFieldProps {
  readonly spec: FieldSpec
  readonly draft: Draft
  readonly error: string | undefined
  readonly onChange: (draft: Draft) => void
}

/** One field of a form, by its kind. */
export function FormField({ spec, draft, error, onChange }: FormFieldProps) {
  const { name, label, hint } = spec
  const value = draft[name]
  const text = typeof value === 'string' ? value : ''
  const list = Array.isArray(value) ? value : []
  const set = (next: Value) => onChange({ ...draft, [name]: next })
  if (spec.kind === 'flag') return <Flag label={label} hint={hint} error={error} isOn={value === true} onChange={set} />
  if (spec.kind === 'choice')
    return <Chooser label={label} hint={hint} error={error} value={text} options={spec.options} onValue={set} />
  if (spec.kind === 'radio')
    return (
      <fieldset class="stack">
        <legend>{label}</legend>
        {spec.options.map(option => (
          <label key={option.value} class="option">
            <input type="radio" name={name} checked={value === option.value} onChange={() => set(option.value)} />
            <span>{option.title}</span>
          </label>
        ))}
      </fieldset>
    )
  if (spec.kind === 'choices')
    return <Choices label={label} hint={error ?? hint} options={spec.options} chosen={list} onChange={set} />
  if (spec.kind === 'list') return <>{spec.control({ value: list, error, onChange: set })}</>
  const { kind, required, minLength, list: datalist } = spec
  const autocomplete = kind === 'password' ? 'new-password' : 'off'
  const constraints = { required, minLength, list: datalist }
  return <Field {...{ label, hint, error, autocomplete, ...constraints }} type={kind} value={text} onValue={set} />
}

interface FlagProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

/** A labelled box to tick. */
export function Flag({ label, hint, error, isOn, onChange }: FlagProps) {
  const note = error ?? hint
  return (
    <label class="flag">
      <input type="checkbox" checked={isOn} onChange={event => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {note !== undefined && <span class={error === undefined ? 'hint' : 'fault'}>{note}</span>}
      </span>
    </label>
  )
}

interface ChoicesProps {
  readonly label: string
  readonly hint: string | undefined
  readonly options: readonly Option[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Minimum number of choices for a search field. */
const searchable = 20
/** Maximum number of boxes that are drawn. */
const maxBoxes = 100

/** Checkboxes; initially checked ones first. A selected value without an option stays selected. */
function Choices({ label, hint, options, chosen, onChange }: ChoicesProps) {
  const id = useId()
  const { t, format } = useLocale()
  const [search, setSearch] = useState('')
  const [atFirst] = useState(() => new Set(chosen))
  const isLong = options.length > searchable
  const wanted = search.trim().toLowerCase()
  const found = options.filter(({ title }) => title.toLowerCase().includes(wanted))
  const ordered = isLong
    ? [...found.filter(({ value }) => atFirst.has(value)), ...found.filter(({ value }) => !atFirst.has(value))]
    : found
  const shown = ordered.slice(0, maxBoxes)
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
          <Field label={t.records.search} type="search" autocomplete="off" value={search} onValue={setSearch} />
          <p class="hint" role="status">
            {t.records.count(format.count(shown.length), format.count(options.length))}
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
