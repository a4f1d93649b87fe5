import { useMemo, useState } from 'preact/hooks'
import { useLocale } from '../texts/locale.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogFoot } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { hasWords, wordsIn } from '../ui/find-options.ts'
import { Failure, Loading } from '../ui/notice.tsx'

/** A value that a report can be filtered by. */
export interface Option {
  readonly id: string
  readonly name: string
}

interface FilterProps {
  readonly title: string
  /** null: they are not loaded yet. */
  readonly options: readonly Option[] | null
  readonly chosen: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
  /** Called when the choice opens: options may be loaded only then. */
  readonly onOpen?: () => void
  /** Failure of loading the options; null: none. */
  readonly error?: unknown
  readonly onRetry?: () => void
}

/** A button that tells which values of a dimension are shown, and opens the choice of them. */
export function FilterButton(props: FilterProps) {
  const { title, options, chosen, onChange, onOpen } = props
  const { t, format } = useLocale()
  const [isOpen, setOpen] = useState(false)
  const [first = ''] = chosen
  const name = options?.find(({ id }) => id === first)?.name
  const value =
    chosen.length === 0
      ? t.reports.all
      : chosen.length === 1 && name
        ? name
        : t.reports.some(format.count(chosen.length))
  return (
    <>
      <button
        type="button"
        class="filter"
        aria-pressed={chosen.length > 0}
        onClick={() => {
          setOpen(true)
          onOpen?.()
        }}
      >
        {title}: <b>{value}</b>
      </button>
      {isOpen && (
        <FilterDialog
          {...props}
          onChange={ids => {
            setOpen(false)
            onChange(ids)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

const maxShown = 300

type DialogProps = FilterProps & { readonly onClose: () => void }

function FilterDialog({ title, options, chosen, onChange, error = null, onRetry, onClose }: DialogProps) {
  const { t, format } = useLocale()
  const [words, setWords] = useState('')
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set(chosen))
  const found = useMemo(() => {
    const wanted = wordsIn(words)
    return (options ?? []).filter(({ name }) => hasWords(name, wanted))
  }, [options, words])
  const toggle = (id: string) => {
    const next = new Set(picked)
    if (!next.delete(id)) next.add(id)
    setPicked(next)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          onChange([...picked])
        }}
      >
        <Field label={t.reports.search} type="search" autocomplete="off" value={words} onValue={setWords} />
        <div class="presets">
          <Button
            look="quiet"
            text={t.reports.chooseFound(format.count(found.length))}
            onClick={() => setPicked(new Set([...picked, ...found.map(({ id }) => id)]))}
          />
          <Button look="quiet" text={t.reports.clear} onClick={() => setPicked(new Set())} />
        </div>
        {found.length > maxShown && (
          <p class="hint" role="status">
            {t.reports.shownOf(format.count(maxShown), format.count(found.length))}
          </p>
        )}
        <Failure error={error} {...(onRetry && { onRetry })} />
        {options === null && error === null && <Loading />}
        {options !== null && found.length === 0 && <p class="hint">{t.reports.noOptions}</p>}
        <fieldset class="option-list">
          <legend class="unseen">{title}</legend>
          {found.slice(0, maxShown).map(({ id, name }) => (
            <label key={id} class="option">
              <input type="checkbox" checked={picked.has(id)} onChange={() => toggle(id)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        <DialogFoot submit={t.reports.apply} icon="check" onClose={onClose} />
      </form>
    </Dialog>
  )
}
