import { useEffect, useState } from 'preact/hooks'
import { useViewer } from '../../data/viewer.ts'
import { type FloorState, followFloor } from './floor-data.ts'

const nothingYet: FloorState = { machines: null, today: null, sinceAt: null, date: '', isLive: false, error: null }

/** The floor as it is now, with the metrics of the period, of a group (null: of all machines), for as long as the screen is open. */
export function useFloor(period: 'today' | 'shift', groupId: string | null = null): FloorState {
  const viewer = useViewer()
  const [state, setState] = useState(nothingYet)
  useEffect(() => followFloor(viewer, { period, groupId }, setState), [viewer, period, groupId])
  return state
}
