import type { ComponentChildren } from 'preact'
import { useViewer } from '../data/viewer.ts'
import { useLocale } from '../texts/locale.ts'

interface ReportHeadProps {
  readonly title: string
  /** Instants that the report answered for; undefined: it is not there yet. */
  readonly range: { readonly start: string; readonly end: string } | undefined
  /** Stands at the other end. */
  readonly children?: ComponentChildren
}

/** Title of a screen of reports with the range that they are of. */
export function ReportHead({ title, range, children }: ReportHeadProps) {
  const { format } = useLocale()
  const { company } = useViewer()
  return (
    <div class="page-head">
      <div class="stack">
        <h1>{title}</h1>
        {range && (
          <p class="hint">
            {format.range(range.start, range.end)}, {company.timeZone}
          </p>
        )}
      </div>
      {children}
    </div>
  )
}
