import { inLetters } from './letter-scale.ts'

/** Outlines of the icons, drawn on 24 × 24. */
const outlines = {
  floor: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  now: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.500l3.500 2',
  stop: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM10 9v6M14 9v6',
  timeline: 'M3 6h7M13 6h8M3 12h11M17 12h4M3 18h4M10 18h11',
  wall: 'M3 5h18v11H3zM9 20h6M12 16v4',
  connect: 'M9 7V3M15 7V3M7 7h10v4a5 5 0 0 1-10 0zM12 16v5',
  connectors: 'M4 6h6v6H4zM14 12h6v6h-6zM10 9h7v3M7 12v6h7',
  keys: 'M14.5 3a6.5 6.5 0 1 1-3.6 11.9L9 16.8V19H6.8v2.2H3v-3.8l6.1-6.1A6.5 6.5 0 0 1 14.5 3zM16.5 8.5h.01',
  developers: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 4l-3 16',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c1.2-3.6 4-5.5 7.5-5.5s6.300 1.900 7.500 5.500',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M8 8h12v12H8zM16 8V4H4v12h4',
  check: 'M4 12.500l5.500 5.500L20 6.500',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500L21 21',
  plus: 'M12 5v14M5 12h14',
  out: 'M10 4H4v16h6M15 8l4 4-4 4M19 12H9',
  book: 'M4 5c3-1.500 6-1.500 8 0 2-1.500 5-1.500 8 0v14c-3-1.500-6-1.500-8 0-2-1.500-5-1.500-8 0zM12 5v14',
  share: 'M12 15V3M8 6.500L12 3l4 3.500M6 11H4v10h16V11h-2',
  download: 'M12 3v12M7.500 11l4.500 4.500 4.500-4.500M4 20h16',
  chart: 'M4 4v16h16M8 16v-4M12.500 16V8M17 16v-6',
  quality:
    'M12 3l7.500 3v5.500c0 4.500-3 8-7.500 9.500-4.500-1.500-7.500-5-7.500-9.500V6zM8.500 12l2.500 2.500 4.500-5',
  alarms: 'M6 17V11a6 6 0 0 1 12 0v6l1.500 2h-15zM10 21.500h4',
  incidents: 'M12 4l9 16H3zM12 10v4.500M12 17.500h.01',
  alerts: 'M3 10v4h4l7 5V5l-7 5zM17.500 9a4 4 0 0 1 0 6',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5.500M12 7.500h.01',
  person: 'M12 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM5.500 20c.8-3.300 3.300-5 6.500-5s5.700 1.700 6.500 5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 4.500v5h4v-5zM7 14.500v5h4v-5z',
  jobs: 'M4 8h16v11H4zM9 8V5h6v3M4 13h16',
} as const

export type IconName = keyof typeof outlines

/** A drawing beside a text, which says what it means: readers of the screen skip it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="icon"
      width={inLetters(size)}
      height={inLetters(size)}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={outlines[name]} />
    </svg>
  )
}
