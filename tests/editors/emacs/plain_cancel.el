;;; Eglot: the cancel command stops a running command -*- lexical-binding: t -*-

(let ((server (kit-start))
      (runs (lambda () (= 0 (call-process "pgrep" nil nil nil "-f" "sleep 33.7")))))
  (kit-ask server "run sleep 33.7")
  (kit-wait runs "the command runs")
  (jsonrpc-request server :workspace/executeCommand '(:command "bowline.cancel" :arguments []))
  (kit-wait (lambda () (kit-said "Stopped.")) "the end is told")
  (kit-wait (lambda () (not (funcall runs))) "the command's process is gone")
  (kit-ask server "say still here")
  (kit-wait (lambda () (kit-said "still here")) "the next answer")
  (eglot-shutdown server))
