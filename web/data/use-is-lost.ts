import { useEffect, useState } from 'preact/hooks'
import { isServiceLost, onBack, onLost } from './reach.ts'

/** Whether the service does not answer at all. */
export function useIsLost(): boolean {
  const [isLost, setLost] = useState(isServiceLost)
  useEffect(() => {
    const read = () => setLost(isServiceLost())
    read()
    const ends = [onBack(read), onLost(read)]
    return () => ends.forEach(end => end())
  }, [])
  return isLost
}
