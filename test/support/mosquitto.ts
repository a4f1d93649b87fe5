import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pause } from '../../shared/async/waiting.ts'
import { freePort } from './free-ports.ts'
import { noteSkipped } from './skipped.ts'

const executablePath = process.env['MOSQUITTO'] ?? '/usr/sbin/mosquitto'

/** Skips the tests of a file if there is no broker. */
export function requireMosquitto(context: Mocha.Context): void {
  if (existsSync(executablePath)) return
  noteSkipped('tests of MQTT', `install mosquitto, or name it in MOSQUITTO (none at ${executablePath})`)
  context.skip()
}

export interface MosquittoOptions {
  /** Folder for settings and data. */
  readonly folder: string
  /** Whether sessions survive a restart. */
  readonly isPersistent?: boolean
  /** Lines of the settings; by default everyone may connect. */
  readonly settings?: readonly string[]
}

/** A real broker in a process of its own. */
export class Mosquitto {
  readonly port: number
  readonly #configPath: string
  #process: ChildProcess | null = null

  private constructor(port: number, configPath: string) {
    this.port = port
    this.#configPath = configPath
  }

  static async start({
    folder,
    isPersistent = false,
    settings = ['allow_anonymous true'],
  }: MosquittoOptions): Promise<Mosquitto> {
    mkdirSync(folder, { recursive: true })
    const broker = new Mosquitto(await freePort(), join(folder, 'mosquitto.conf'))
    const lines = [
      'user root',
      `listener ${broker.port} 127.0.0.1`,
      'log_dest none',
      'set_tcp_nodelay true',
      `persistence ${isPersistent}`,
      `persistence_location ${folder}/`,
      ...settings,
    ]
    writeFileSync(broker.#configPath, `${lines.join('\n')}\n`)
    await broker.resume()
    return broker
  }

  get address(): string {
    return `mqtt://127.0.0.1:${this.port}`
  }

  /** Starts the process again. */
  async resume(): Promise<void> {
    const child = spawn(executablePath, ['-c', this.#configPath], { stdio: 'ignore' })
    this.#process = child
    while (!(await isListening(this.port))) {
      if (child.exitCode !== null) throw new Error(`mosquitto has ended with code ${child.exitCode}`)
      await pause(20)
    }
  }

  /** Ends the process, which stores its sessions before if it is persistent. */
  async stop(): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
