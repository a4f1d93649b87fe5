import type { DowntimeReasonResponse } from '../../../schema/records/downtime-reason.ts'
import { useLocale } from '../../texts/locale.ts'
import type { PendingChange } from './change-dialog.tsx'
import { canSplit, countStops } from './list-rows.ts'
import { Palette } from './palette.tsx'
import type { Selection } from './use-selection.ts'
import { Button } from '../../ui/button.tsx'

interface ToolsProps {
  readonly selection: Selection
  /** Reasons that apply to the machines of the stops that are meant. */
  readonly reasons: readonly DowntimeReasonResponse[]
  /** Reasons of all machines. */
  readonly allReasons: readonly DowntimeReasonResponse[]
  readonly isBusy: boolean
  readonly onReason: (reasonId: number | null) => void
  readonly onNewReason: () => void
  readonly onAsk: (change: PendingChange) => void
}

/** Buttons for all that can be done to the stops that are meant. */
export function Tools({ selection, reasons, allReasons, isBusy, onReason, onNewReason, onAsk }: ToolsProps) {
  const words = useLocale().t.downtime
  const { meant, chosen, canMerge } = selection
  const buttonProps = (change: PendingChange, isPossible: boolean) => ({
    look: 'quiet',
    text: words[change],
    disabled: !isPossible || isBusy,
    onClick: () => onAsk(change),
  })
  return (
    <aside class="stops-tools" aria-label={words.give} data-chosen={chosen.length > 0}>
      <Palette
        reasons={reasons}
        allReasons={allReasons}
        count={countStops(meant)}
        isBusy={isBusy}
        onReason={onReason}
        onNewReason={onNewReason}
      />
      <div class="presets">
        <Button {...buttonProps('note', meant.length > 0)} />
        <Button {...buttonProps('split', canSplit(meant))} />
        <Button {...buttonProps('merge', canMerge)} title={words.mergeOne} />
        <Button
          look="quiet"
          text={chosen.length > 0 ? words.clear : words.chooseAll}
          onClick={() => (chosen.length > 0 ? selection.clear() : selection.chooseAll())}
        />
      </div>
    </aside>
  )
}
